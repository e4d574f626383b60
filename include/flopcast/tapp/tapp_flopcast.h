#ifndef FLOPCAST_TAPP_FLOPCAST_H
#define FLOPCAST_TAPP_FLOPCAST_H

/* Error codes and attributes of libtapp-flopcast. The header goes with any tapp.h. */

/** Codes of errors. Those below 0x1000 are the reference implementation's. */
typedef enum flopcast_tapp_error {
  FLOPCAST_TAPP_DONE = 0,
  FLOPCAST_TAPP_EXTENTS_OF_A_AND_B = 1, /**< an index has one extent in A and another in B */
  FLOPCAST_TAPP_EXTENTS_OF_A_AND_D = 2,
  FLOPCAST_TAPP_EXTENTS_OF_B_AND_D = 3,
  FLOPCAST_TAPP_INDEX_OF_D_ALONE = 4, /**< D has an index that neither A nor B has */
  FLOPCAST_TAPP_DIMENSIONS_OF_C = 5,  /**< C hasn't as many dimensions as D */
  FLOPCAST_TAPP_INDICES_OF_C = 6,     /**< C hasn't the indices of D in the same order */
  FLOPCAST_TAPP_EXTENTS_OF_C = 7,     /**< an index has one extent in C and another in D */
  FLOPCAST_TAPP_ALIASING_IN_D = 8,    /**< elements of D share addresses */
  FLOPCAST_TAPP_EXTENTS_IN_A = 9,     /**< a repeated index has two extents in A */
  FLOPCAST_TAPP_EXTENTS_IN_B = 10,
  FLOPCAST_TAPP_EXTENTS_IN_D = 11,
  FLOPCAST_TAPP_MISSING_C = 12,        /**< C is NULL, but beta isn't 0 */
  FLOPCAST_TAPP_NEGATIVE_NMODES = 14,  /**< a number of dimensions is negative */
  FLOPCAST_TAPP_NEGATIVE_EXTENT = 15,  /**< an extent is negative */
  FLOPCAST_TAPP_NO_EXECUTOR = 33,      /**< the executor was never created, or is destroyed */
  FLOPCAST_TAPP_NO_OBJECT = 0x1000,    /**< another object was never created, or is destroyed */
  FLOPCAST_TAPP_NULL_POINTER = 0x1001, /**< a pointer is NULL that mustn't be */
  FLOPCAST_TAPP_TYPE = 0x1002,         /**< elements of this type aren't supported */
  FLOPCAST_TAPP_MIXED_TYPES = 0x1003,  /**< tensors of one product have different types */
  FLOPCAST_TAPP_PRECISION = 0x1004,    /**< the precision is unknown, or higher than that of the elements */
  FLOPCAST_TAPP_OPERATION = 0x1005,    /**< the operation on elements is unknown */
  FLOPCAST_TAPP_KEY = 0x1006,          /**< the object has no such attribute, or the attribute can't be set */
  FLOPCAST_TAPP_VALUE = 0x1007,        /**< an attribute, a number of products or a number of dimensions is out of range */
  FLOPCAST_TAPP_BAD_INPUT = 0x1008,    /**< the planner refuses the tensors: overlap, too many elements */
  FLOPCAST_TAPP_ENVIRONMENT = 0x1009,  /**< the machine, a library or the file system refuses; too little memory */
  FLOPCAST_TAPP_INTERNAL = 0x100A      /**< a bug of flopcast */
} flopcast_tapp_error;

/** Keys of attributes. */
typedef enum flopcast_tapp_key {
  /** int: threads that share a product. A handle has 1 (default) to 1024, for products that are created later. An executor has 0 (default:
      as many as the handle had) to 1024, for products that it executes. The first execution with another number plans once more. */
  FLOPCAST_TAPP_THREADS = 0x1000,
  /** int, a flopcast_tapp_effort: effort of planning. A handle has this attribute, for products that are created later. */
  FLOPCAST_TAPP_EFFORT = 0x1001,
  /** double: expected time of an execution in seconds. A product has this attribute, which can't be set. */
  FLOPCAST_TAPP_SECONDS = 0x1002,
  /** char[]: several lines on the choice and its reason, and remarks on this process, ended by a null character. A product has this
      attribute, which can't be set. */
  FLOPCAST_TAPP_EXPLANATION = 0x1003
} flopcast_tapp_key;

/** Effort with which a product is planned. */
typedef enum flopcast_tapp_effort {
  FLOPCAST_TAPP_ESTIMATE = 0,   /**< a model decides; milliseconds */
  FLOPCAST_TAPP_MICROBENCH = 1, /**< tiles of the best candidates are timed; tens of milliseconds */
  FLOPCAST_TAPP_MEASURE = 2     /**< the best candidates are executed on tensors of the planner's own; up to 2 seconds */
} flopcast_tapp_effort;

#endif
