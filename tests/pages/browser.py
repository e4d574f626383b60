"""A browser without a window that opens pages of results, which are files, and reads what they show."""

import base64
import json
import pathlib
import shutil

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

HEIGHT = 900
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
           "--disable-extensions", "--disable-background-networking", "--no-first-run"]


class Browser:
    """One Chromium for all pages; also a context that ends it."""

    def __init__(self):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for option in OPTIONS:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.url = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, file, width=1280, scheme="light", has_script=True):
        """Opens the page `file` in a window of `width` pixels, for readers who prefer `scheme`."""
        self.set_width(width)
        self.set_scheme(scheme)
        self.command("Emulation.setScriptExecutionDisabled", value=not has_script)
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)  # what earlier pages left
        self.url = pathlib.Path(file).resolve().as_uri()
        self.driver.get(self.url)

    def command(self, name, **parameters):
        """Sends a command of the Chrome DevTools Protocol and returns its result."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def set_width(self, width):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def set_scheme(self, scheme):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script, *arguments):
        """Returns what the body of a function in JavaScript returns."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector, within=None):
        return (within or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def console(self):
        """Returns the warnings and errors on the console since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """Returns the addresses, other than the page's, that were asked for since the page was opened."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                parameters = message["params"]
                url = parameters.get("url") or parameters["request"]["url"]
                if url.split("#")[0] != self.url and not url.startswith(("data:", "about:")):
                    found.append(url)
        return found

    def printed(self):
        """Returns the page as a PDF. On a busy machine Chromium's own process for printing fails now and then, so it gets three tries."""
        for last in (False, False, True):
            try:
                return base64.b64decode(self.command("Page.printToPDF", printBackground=True)["data"])
            except WebDriverException as error:
                if last or "Printing failed" not in str(error):
                    raise

    def save_screenshot(self, file):
        """Writes the page, not only what the window shows, as a PNG. Chromium draws 16384 pixels at most."""
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        pathlib.Path(file).write_bytes(self.screenshot({"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000)}))

    def screenshot(self, place):
        """Returns a rectangle of the page (x, y, width, height in pixels) as a PNG."""
        return base64.b64decode(self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={**place, "scale": 1})["data"])
