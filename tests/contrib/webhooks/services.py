"""The plugins and settings of the services in these tests."""

from contrib.webhooks import shop

import landyard_events
import landyard_outgoing
import landyard_webhooks

PLUGINS = (shop, landyard_events, landyard_outgoing, landyard_webhooks)
