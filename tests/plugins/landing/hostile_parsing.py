"""Texts that say one thing to one parser and another to the next, each under what it plays with.

Written from the HTML standard's tokenizer and tree builder. Placeholders as in `hostile_elements`.
"""

_IMG = "<img src=/assets/none onerror=RUN>"

RAW_TEXT = {
    "raw text that ends in an attribute": f"<noscript><p title='</noscript>{_IMG}'></noscript>",
    "raw text of a frame": f"<iframe><p title='</iframe>{_IMG}'></iframe>",
    "raw text of what is not embedded": f"<noembed><p title='</noembed>{_IMG}'></noembed>",
    "raw text of what is not framed": f"<noframes><p title='</noframes>{_IMG}'></noframes>",
    "raw text of an example": f"<xmp><p title='</xmp>{_IMG}'></xmp>",
    "raw text of a title": f"<title><p title='</title>{_IMG}'></title>",
    "raw text of a text area": f"<textarea><p title='</textarea>{_IMG}'></textarea>",
    "raw text of a style": f"<style><p title='</style>{_IMG}'></style>",
    "raw text of a script": f"<script type=x><p title='</script>{_IMG}'></script>",
    "raw text without an end": f"<plaintext></plaintext>{_IMG}<script>RUN</script>",
    "a listing": f"<listing>{_IMG}</listing>",
    "a title ended in odd case": f"<title></TiTlE/x>{_IMG}</title>",
    "a style ended by half": f"<style></styl</style>{_IMG}",
    "a script twice escaped": f"<script><!--<script></script>--></script>{_IMG}",
    "a template": f"<template>{_IMG}</template>{_IMG}",
    "a template inside a table": f"<table><template><tr></template>{_IMG}</table>",
}

COMMENTS = {
    "a comment that ends at once": f"<!-->{_IMG}-->",
    "a comment that ends after a dash": f"<!--->{_IMG}-->",
    "a comment that ends with a bang": f"<!-- --!>{_IMG}-->",
    "a comment inside a comment": f"<!-- <!-- -->{_IMG}-->",
    "a comment in a style": f"<style><!--</style>{_IMG}--></style>",
    "a comment in an attribute": f"<!-- <p title='-->{_IMG}'>",
    "a comment that is none": f"<!x>{_IMG}",
    "a condition of old": f"<!--[if IE]><script>RUN</script><![endif]-->{_IMG}",
    "a declaration": f"<!doctype x [<!entity y '{_IMG}'>]>{_IMG}",
    "an instruction": f"<?xml x='>{_IMG}'?>",
    "an instruction of style": "<?xml-stylesheet href='EVIL'?><script>RUN</script>",
    "a section of characters": f"<![CDATA[>{_IMG}]]>",
    "a section in a drawing": f"<svg><![CDATA[</svg>{_IMG}]]></svg>{_IMG}",
    "a section in a formula's text": f"<math><mtext><![CDATA[>{_IMG}]]></mtext></math>",
    "an end tag that is none": f"</ x>{_IMG}</!>",
}

NAMESPACES = {
    "a style that is none in a drawing": f"<svg></p><style><a title='</style>{_IMG}'>",
    "a style that is none in a formula": f"<math></p><style><a title='</style>{_IMG}'>",
    "a comment of a drawing's style": f"<svg><style><!--</style>{_IMG}--></style></svg>",
    "a title of a drawing": f"<svg><title><style><p title='</style>{_IMG}'></title></svg>",
    "a description of a drawing": f"<svg><desc>{_IMG}</desc></svg>",
    "a foreign object": f"<svg><foreignObject>{_IMG}</foreignObject></svg>",
    "a foreign object's own drawing": f"<svg><foreignobject><svg><p>{_IMG}</svg></svg>",
    "a formula's text": f"<math><mtext>{_IMG}</mtext></math>",
    "a formula's note": (
        f"<math><annotation-xml encoding='text/html'>{_IMG}</annotation-xml></math>"
    ),
    "a formula's note without a kind": f"<math><annotation-xml>{_IMG}</annotation-xml></math>",
    "a form closed by a formula": (
        f"<form><math><mtext></form><form><mglyph><style></math>{_IMG}</style>"
    ),
    "a glyph of a formula": f"<math><mtext><table><mglyph><style><!--</style>{_IMG}-->",
    "a mark of a formula": f"<math><mtext><malignmark><style><a title='</style>{_IMG}'>",
    "a table between two formulas": (
        f"<math><mtext><table><math></table><mglyph><style></math>{_IMG}</style>"
    ),
    "a heading that leaves a drawing": f"<svg><h1><style><p title='</style>{_IMG}'>",
    "a font that leaves a drawing": f"<svg><font color=x><style><p title='</style>{_IMG}'>",
    "a font that stays in a drawing": f"<svg><font x><style><p title='</style>{_IMG}'></svg>",
    "a break that leaves a drawing": f"<svg></br><style><p title='</style>{_IMG}'>",
    "a drawing in a formula": f"<math><svg><mtext>{_IMG}</svg></math>",
    "a colon in a name": f"<svg:script>RUN</svg:script><html:script>RUN</html:script>{_IMG}",
    "a namespace of one's own": f"<p xmlns='http://www.w3.org/2000/svg'>{_IMG}</p>",
    "an image that is a picture": "<svg><image></svg><image src=/assets/none onerror=RUN>",
}

TREES = {
    "what a table throws out": f"<table>{_IMG}<tr><td>x</td></tr></table>",
    "what a row throws out": f"<table><tr>{_IMG}</table>",
    "a caption in a caption": f"<table><caption><table><caption>{_IMG}</table>",
    "a choice that is left": f"<select><option>{_IMG}</select>{_IMG}",
    "a choice in a table": f"<table><tr><td><select><tr>{_IMG}</table>",
    "a choice ended by a field": f"<select><input onclick=RUN>{_IMG}",
    "a link in a link": f"<a href=/x><p><a href='javascript:RUN'>x</a>{_IMG}",
    "a paragraph in a paragraph": f"<p><b><p>{_IMG}</b></p>",
    "formats out of order": f"<b><i><u></b>{_IMG}</i></u>",
    "a button in a button": f"<button><p><button onclick=RUN>x{_IMG}",
    "a form in a form": f"<form><p><form onclick=RUN></form>{_IMG}</form>",
    "a list that is not closed": f"<ul><li><ul><li>{_IMG}",
    "a page in a page": f"<html onclick=RUN><head></head><body onclick=RUN>{_IMG}",
    "columns out of a table": f"<table><colgroup>{_IMG}<col></table>",
    "ruby out of order": f"<ruby><rt>{_IMG}<rp onclick=RUN>x</ruby>",
    "a frame that never ends": f"{_IMG}<iframe>",
    "a text area that never ends": f"{_IMG}<textarea>",
    "a text for whoever closes tags": f"</span></p></div></li></ul></td></table></a>{_IMG}",
}

CHARACTERS = {
    "a NUL in a name": f"<im\x00g src=/assets/none onerror=RUN>{_IMG}",
    "a NUL in an attribute's name": "<img src=/assets/none one\x00rror=RUN onerror=RUN>",
    "a NUL in a script": "<script\x00>RUN</script><script>R\x00UN</script><script>RUN</script>",
    "a NUL in an address": "<a href='java\x00script:RUN'>x</a><a href='javascript:RUN'>x</a>",
    "a tab in an address": "<a href='java\tscript:RUN'>x</a>",
    "a line end in an address": "<a href='java&NewLine;script:RUN'>x</a>",
    "a control in front of an address": "<a href='&#1;&#31;javascript:RUN'>x</a>",
    "references for an address": "<a href='&#x6a;&#x61;vascript&colon;RUN'>x</a>",
    "references with zeros": "<a href='&#0000106avascript&#x000003A;RUN'>x</a>",
    "a space of another kind": "<img\u2028src=/assets/none\u2028onerror=RUN>" + _IMG,
    "letters that look like others": f"<\u017fcript>RUN</\u017fcript><\uff53cript>{_IMG}",
    "a small letter by another way": f"<\u212abd>x</\u212abd><ma\u0131n>{_IMG}",
    "signs turned around": f"\u202e<img src=/assets/none onerror=RUN>\u202c\u2066{_IMG}",
    "signs without width": f"<\u200bscript>RUN</script><i\u200bmg>{_IMG}",
    "brackets of full width": f"\uff1cscript\uff1eRUN\uff1c/script\uff1e{_IMG}",
    "brackets by their references": f"&lt;script&gt;RUN&lt;/script&gt;{_IMG}",
    "brackets by two references": f"&amp;lt;script&amp;gt;RUN&amp;lt;/script&amp;gt;{_IMG}",
    "an old encoding's escapes": f"+ADw-script+AD4-RUN+ADw-/script+AD4-{_IMG}",
    "a half pair of signs": f"\ud7ff\ue000\ufffe\uffff<p title=\ufffd>{_IMG}",
    "a byte order mark": f"\ufeff<\ufeffscript>RUN</script>{_IMG}",
    "an attribute of quotes": f"<p title='\"><script>RUN</script>' \"{_IMG}>{_IMG}",
    "an attribute without an end": f"<p title='x{_IMG}' {_IMG}",
    "an attribute named like a tag": f"<p <script>RUN</script>>{_IMG}",
    "an attribute's value in brackets": f"<p title=<script>RUN</script>>{_IMG}",
    "what a template writes": "{{constructor.constructor('RUN')()}}${RUN}<%=RUN%>" + _IMG,
}
PARSING = {**RAW_TEXT, **COMMENTS, **NAMESPACES, **TREES, **CHARACTERS}
