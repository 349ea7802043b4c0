"""The fixture `browser`: an administrator's browser, signed in to the module's service."""

import pytest
from plugins.console.test_signing_in import Browser

from landyard.testing import Service


@pytest.fixture
def browser(service: Service) -> Browser:
    browser = Browser(service)
    browser.follow()
    return browser
