"""The platform's error codes for refused publications: quotas, licences, payments, content.

This distribution raises those of quotas only. A plugin's hook `before_call` may raise those of
licences, payments, confirmed addresses and checks of content for `landing.landing.publication` and
`landing.site.publication`.
"""

from landyard import CallError


class PublicPageReached(CallError):
    code = "PUBLIC_PAGE_REACHED"
    text = "The most pages allowed are public already; hide another page first."


class PublicSiteReached(CallError):
    code = "PUBLIC_SITE_REACHED"
    text = "The most sites allowed are public already; hide another site first."


class PublicSiteReachedFree(CallError):
    code = "PUBLIC_SITE_REACHED_FREE"
    text = "The free plan allows no more public sites. Only a plugin's hook raises this."


class LandingPaymentFailed(CallError):
    code = "LANDING_PAYMENT_FAILED"
    text = "The page's template is not paid for. Only a plugin's hook raises this."


class LandingPaymentFailedBlock(CallError):
    code = "LANDING_PAYMENT_FAILED_BLOCK"
    text = "A block of the page is not paid for. Only a plugin's hook raises this."


class PublicHtmlDisallowed(CallError):
    code = "PUBLIC_HTML_DISALLOWED"
    text = "The page's own HTML must not be public. Only a plugin's hook raises this."


class PhoneNotConfirmed(CallError):
    code = "PHONE_NOT_CONFIRMED"
    text = "Confirm a telephone number first. Only a plugin's hook raises this."


class EmailNotConfirmed(CallError):
    code = "EMAIL_NOT_CONFIRMED"
    text = "Confirm an email address first. Only a plugin's hook raises this."


class UrlCheckerFail(CallError):
    code = "URLCHECKER_FAIL"
    text = "The page has a link that is not allowed. Only a plugin's hook raises this."


class LicenseExpired(CallError):
    code = "LICENSE_EXPIRED"
    text = "The licence has expired. Only a plugin's hook raises this."


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
"""The errors that every method that publishes declares."""
