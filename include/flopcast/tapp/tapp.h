#ifndef TAPP_TAPP_H_
#define TAPP_TAPP_H_

/* Tensor Algebra Processing Primitives (TAPP), the community's C interface for products of tensors, as libtapp-flopcast implements it:

     D := op_D(alpha op_A(A) op_B(B) + beta op_C(C))

   Each tensor has a list of integer labels, one per dimension. An index with the same label is the same index in all tensors. Indices that D
   lacks are summed. Names and types are those of the specification, which is a draft (version 0.5): they may change, and so may this library.

     TAPP_create_tensor_info()  describes a tensor: type, extents, strides
     TAPP_create_tensor_product()  plans a product, which may be executed often
     TAPP_execute_product()  computes the product of given elements

   Functions return an error code: 0, or a number that TAPP_explain_error() explains. tapp_flopcast.h has the numbers, and the attributes of
   this implementation. Different threads may use different objects at once, and one product. Functions that end an object take 0, too. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TAPP_EXPORT __attribute__((visibility("default")))
#else
#define TAPP_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Error code of a function. */
typedef int TAPP_error;

/** Returns whether the code says that the function did what it was called for. */
TAPP_EXPORT bool TAPP_check_success(TAPP_error error);
/** Writes at most maxlen - 1 characters of the explanation of an error and a null character. Returns the number of characters without the
    null character. With maxlen = 0, nothing is written, and the length of the whole text is returned. If the code is that of the thread's
    last failure, the text names the tensors, labels and numbers of that failure. */
TAPP_EXPORT size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char* message);

/** Any object that has attributes: a handle, an executor or a tensor product. */
typedef intptr_t TAPP_attr;
/** Name of an attribute; tapp_flopcast.h lists those of this implementation. */
typedef int TAPP_key;

/** Copies the value at `value` to an attribute. */
TAPP_EXPORT TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void* value);
/** Makes `*value` point to an attribute's value, until the attribute changes or the object ends. */
TAPP_EXPORT TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void** value);
/** Gives an attribute its default value. */
TAPP_EXPORT TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key);

/** Type of a tensor's elements. */
typedef int TAPP_datatype;
enum {
  TAPP_F32 = 0,  /**< float */
  TAPP_F64 = 1,  /**< double */
  TAPP_C32 = 2,  /**< complex of two floats */
  TAPP_C64 = 3,  /**< complex of two doubles */
  TAPP_F16 = 4,  /**< IEEE half precision; not supported by flopcast */
  TAPP_BF16 = 5, /**< bfloat16; not supported by flopcast */
  TAPP_FLOAT = TAPP_F32,
  TAPP_DOUBLE = TAPP_F64,
  TAPP_SCOMPLEX = TAPP_C32,
  TAPP_DCOMPLEX = TAPP_C64
};

/** Least precision of products and sums. flopcast computes in the precision of the elements, and refuses to promise more. */
typedef int TAPP_prectype;
enum {
  TAPP_DEFAULT_PREC = -1,           /**< that of the elements */
  TAPP_F32F32_ACCUM_F32 = TAPP_F32, /**< single */
  TAPP_F64F64_ACCUM_F64 = TAPP_F64, /**< double */
  TAPP_F16F16_ACCUM_F16 = TAPP_F16, /**< half */
  TAPP_F16F16_ACCUM_F32 = 5,        /**< products of half precision, sums of single precision */
  TAPP_BF16BF16_ACCUM_F32 = 6       /**< products of bfloat16, sums of single precision */
};

/** The library and its settings. */
typedef intptr_t TAPP_handle;
TAPP_EXPORT TAPP_error TAPP_create_handle(TAPP_handle* handle);
/** Ends a handle. Products that were made with the handle go on. */
TAPP_EXPORT TAPP_error TAPP_destroy_handle(TAPP_handle handle);

/** The resources that execute products. */
typedef intptr_t TAPP_executor;
TAPP_EXPORT TAPP_error TAPP_create_executor(TAPP_executor* exec);
TAPP_EXPORT TAPP_error TAPP_destroy_executor(TAPP_executor exec);

/** Outcome of an execution beside the error code; flopcast has none and gives 0. */
typedef intptr_t TAPP_status;
TAPP_EXPORT TAPP_error TAPP_destroy_status(TAPP_status status);

/** Type, extents and strides of a tensor. Element (i0, i1, ...) lies strides[0] i0 + strides[1] i1 + ... elements after the first. Strides
    may be negative or 0; elements of D must have different addresses. */
typedef intptr_t TAPP_tensor_info;
/** Describes a tensor of `nmode` dimensions; 0 for a scalar. `extents` and `strides` have `nmode` numbers each. */
TAPP_EXPORT TAPP_error TAPP_create_tensor_info(TAPP_tensor_info* info, TAPP_datatype type, int nmode, const int64_t* extents,
                                               const int64_t* strides);
/** Ends a description. Products that were made with the description go on. */
TAPP_EXPORT TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info);
/** Returns the number of dimensions, -1 for something that is no description. */
TAPP_EXPORT int TAPP_get_nmodes(TAPP_tensor_info info);
/** Changes the number of dimensions. New ones have extent 1 and stride 0. Products that exist don't change. */
TAPP_EXPORT TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes);
TAPP_EXPORT void TAPP_get_extents(TAPP_tensor_info info, int64_t* extents);
TAPP_EXPORT TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t* extents);
TAPP_EXPORT void TAPP_get_strides(TAPP_tensor_info info, int64_t* strides);
TAPP_EXPORT TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t* strides);

/** Operation on each element of a tensor. */
typedef int TAPP_element_op;
enum {
  TAPP_IDENTITY = 0, /**< the element */
  TAPP_CONJUGATE = 1 /**< its complex conjugate */
};

#define TAPP_IN_PLACE NULL

/** A planned product. */
typedef intptr_t TAPP_tensor_product;
/** Plans a product of tensors of one type. Each `idx` has a label per dimension of its tensor.
    - A label of A and B that D lacks is contracted; a label of A, B and D is a Hadamard (batch) index; a label of A or B alone is summed.
    - A label that a tensor repeats stands for the diagonal. Elements of D beside the diagonal are neither read nor written.
    - C has the labels and extents of D in the same order, and strides of its own.
    If the call fails, `*plan` stands for the failure: its execution returns the same code, and it needn't be destroyed. */
TAPP_EXPORT TAPP_error TAPP_create_tensor_product(TAPP_tensor_product* plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
                                                  const int64_t* idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t* idx_B,
                                                  TAPP_element_op op_C, TAPP_tensor_info C, const int64_t* idx_C, TAPP_element_op op_D,
                                                  TAPP_tensor_info D, const int64_t* idx_D, TAPP_prectype prec);
TAPP_EXPORT TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan);

/** Computes a product. `alpha` and `beta` point to numbers of the tensors' type; all other pointers are those of first elements. With
    beta = 0, C is not read and may be NULL. C may be D if their strides are equal; else D must not overlap another tensor. `*status` becomes
    0; `status` may be NULL. D is unchanged after an error. */
TAPP_EXPORT TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status* status, const void* alpha,
                                            const void* A, const void* B, const void* beta, const void* C, void* D);

/** Computes `num_batches` products, one after the other, with the same alpha and beta. Element i of A, B, C and D has the tensors of
    product i. With beta = 0, C may be NULL. The first product that fails ends the call; products before it are computed. */
TAPP_EXPORT TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status* status, int num_batches,
                                                    const void* alpha, const void** A, const void** B, const void* beta, const void** C,
                                                    void** D);

#ifdef __cplusplus
}
#endif

#endif
