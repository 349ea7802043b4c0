# /etc/varnish/landyard.vcl: Varnish in front of a service at 127.0.0.1:8000, with varnish-modules.
# It has two addresses, one for visitors and one for purges; nobody else may reach the second:
#   varnishd -f /etc/varnish/landyard.vcl -a pages=:6081 -a purge=127.0.0.1:6082
# In landyard.toml:
#   [public]
#   tag_headers = ["xkey"]
#   s_maxage = 3600
#   [edges.varnish.front]
#   url = "http://127.0.0.1:6082/"
# And:  landyard plugins enable edges

vcl 4.1;

import xkey;

backend landyard {
    .host = "127.0.0.1";
    .port = "8000";
    # Calls are answered after 30 seconds at the latest, unless settings say otherwise.
    .first_byte_timeout = 60s;
    .between_bytes_timeout = 60s;
}

sub vcl_recv {
    if (local.socket == "purge") {
        if (!req.http.xkey-purge) {
            return (synth(400, "xkey-purge is missing"));
        }
        set req.http.purged = xkey.purge(req.http.xkey-purge);
        return (synth(200, "Purged " + req.http.purged));
    }
    # Calls, the console and streams of events.
    if (req.url ~ "^/(rest|-)(/|$)" || req.http.Authorization
        || (req.method != "GET" && req.method != "HEAD")) {
        return (pass);
    }
    # Cookies do not matter: the service permits to keep what is the same for everybody.
    return (hash);
}

sub vcl_backend_response {
    if (beresp.http.Cache-Control !~ "s-maxage|immutable" || beresp.http.Set-Cookie) {
        set beresp.ttl = 120s;  # for this time it is known that the answer is not kept
        set beresp.uncacheable = true;
        return (deliver);
    }
    # Without it Varnish would send a page for ten more seconds while it asks for the new one.
    if (beresp.http.Cache-Control !~ "stale-while-revalidate") {
        set beresp.grace = 0s;
    }
    return (deliver);
}

sub vcl_deliver {
    # Caches beyond this one are not purged.
    set resp.http.Cache-Control = regsub(resp.http.Cache-Control, ", s-maxage.*", "");
    unset resp.http.xkey;
}
