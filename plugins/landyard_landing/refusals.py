"""Refusals of publications: the platform's codes for what is not here, but may join in.

No plugin of this distribution raises those of licences, payments, confirmed addresses and checks
of content: a plugin that joins in `landing.landing.publication` or `landing.site.publication` does.
"""

from landyard import CallError


class PublicPageReached(CallError):
    code = "PUBLIC_PAGE_REACHED"
    text = "As many pages are public as may be; hide another one first."


class PublicSiteReached(CallError):
    code = "PUBLIC_SITE_REACHED"
    text = "As many sites are public as may be; hide another one first."


class PublicSiteReachedFree(CallError):
    code = "PUBLIC_SITE_REACHED_FREE"
    text = "The plan without charge has no more public sites. Only a plugin that joins in says so."


class LandingPaymentFailed(CallError):
    code = "LANDING_PAYMENT_FAILED"
    text = "The page's template is not paid for. Only a plugin that joins in says so."


class LandingPaymentFailedBlock(CallError):
    code = "LANDING_PAYMENT_FAILED_BLOCK"
    text = "A block of the page is not paid for. Only a plugin that joins in says so."


class PublicHtmlDisallowed(CallError):
    code = "PUBLIC_HTML_DISALLOWED"
    text = "HTML of the page's own may not be public. Only a plugin that joins in says so."


class PhoneNotConfirmed(CallError):
    code = "PHONE_NOT_CONFIRMED"
    text = "Confirm a telephone number first. Only a plugin that joins in says so."


class EmailNotConfirmed(CallError):
    code = "EMAIL_NOT_CONFIRMED"
    text = "Confirm an email address first. Only a plugin that joins in says so."


class UrlCheckerFail(CallError):
    code = "URLCHECKER_FAIL"
    text = "The page links to where it must not. Only a plugin that joins in says so."


class LicenseExpired(CallError):
    code = "LICENSE_EXPIRED"
    text = "The licence is over. Only a plugin that joins in says so."


PUBLICATION_REFUSALS = (
    PublicPageReached,
    PublicSiteReached,
    PublicSiteReachedFree,
    LandingPaymentFailed,
    LandingPaymentFailedBlock,
    PublicHtmlDisallowed,
    PhoneNotConfirmed,
    EmailNotConfirmed,
    UrlCheckerFail,
    LicenseExpired,
)
"""What a method that publishes declares."""
