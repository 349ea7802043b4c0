# ruff: noqa: E501, ISC004, RUF001 - as programs write it
"""Clipboard HTML of many programs, and the blocks that pasting it must give.

Each follows the real clipboard of a program: wrappers, classes, style sheets, comments and all.
"""

from msgspec import Struct


class Clipboard(Struct, frozen=True):
    """A clipboard. Pasting gives `blocks`, or a `phrase` inside a line."""

    name: str
    html: str
    blocks: tuple[str, ...] = ()
    phrase: str = ""


def _word(body: str, styles: str = "") -> str:
    return (
        '<html xmlns:v="urn:schemas-microsoft-com:vml"'
        ' xmlns:o="urn:schemas-microsoft-com:office:office"'
        ' xmlns:w="urn:schemas-microsoft-com:office:word"'
        ' xmlns="http://www.w3.org/TR/REC-html40"><head><meta http-equiv=Content-Type'
        ' content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15">'
        "<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml>"
        '<![endif]--><link rel=File-List href="file:///C:/Users/x/clip_filelist.xml">'
        "<style><!--\n@font-face {font-family:Calibri;}\np.MsoNormal, li.MsoNormal"
        " {mso-style-unhide:no; margin:0cm; font-size:11.0pt; font-family:Calibri;}\n"
        f"{styles}\n@page WordSection1 {{size:612.0pt 792.0pt;}}\n--></style></head>"
        f"<body lang=FR style='tab-interval:36.0pt'><!--StartFragment-->{body}<!--EndFragment-->"
        "</body></html>"
    )


def _word_item(text: str, sign: str = "·", level: int = 1, place: str = "Middle") -> str:
    return (
        f"<p class=MsoListParagraphCxSp{place} style='text-indent:-18.0pt;"
        f"mso-list:l0 level{level} lfo1'><![if !supportLists]><span style='font-family:Symbol'>"
        f"<span style='mso-list:Ignore'>{sign}<span style='font:7.0pt \"Times New Roman\"'>&nbsp;"
        f"&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>{text}<o:p></o:p></p>"
    )


def _docs(body: str) -> str:
    return (
        '<meta charset="utf-8"><b style="font-weight:normal;"'
        f' id="docs-internal-guid-5b1c9e0e-7fff-0a3c">{body}</b>'
    )


_DOCS_TEXT = (
    "font-size:11pt;font-family:Arial,sans-serif;color:#000000;background-color:transparent"
)


def _span(text: str, weight: int = 400, style: str = "normal", line: str = "none") -> str:
    return (
        f'<span style="{_DOCS_TEXT};font-weight:{weight};font-style:{style};'
        f"font-variant:normal;text-decoration:{line};vertical-align:baseline;"
        f'white-space:pre-wrap;">{text}</span>'
    )


def _para(inside: str) -> str:
    return f'<p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;">{inside}</p>'


def _docs_item(text: str, level: int = 1) -> str:
    return (
        f'<li dir="ltr" style="list-style-type:disc;{_DOCS_TEXT};font-weight:400"'
        f' aria-level="{level}"><p dir="ltr" role="presentation">{_span(text)}</p></li>'
    )


def _excel(rows: str, styles: str = "") -> str:
    return (
        '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta name=ProgId'
        ' content=Excel.Sheet><style>\n<!--table {mso-displayed-decimal-separator:"\\,";}\n'
        f"td {{padding:0px; font-weight:400; font-style:normal; text-decoration:none;}}\n{styles}\n"
        "--></style></head><body link=blue><table border=0 cellpadding=0 cellspacing=0 width=256"
        " style='border-collapse:collapse;width:192pt'><!--StartFragment--><col width=64 span=4>"
        f"{rows}<!--EndFragment--></table></body></html>"
    )


_CHROME = (
    "color: rgb(32, 33, 34); font-family: sans-serif; font-size: 16px; font-style: normal;"
    " font-weight: 400; text-align: start; text-decoration-thickness: initial;"
    " text-decoration-style: initial; white-space: normal;"
)

CLIPBOARDS = [
    # ---- Word
    Clipboard(
        "word: heading and paragraphs",
        _word(
            "<h1><b><span lang=FR style='font-size:16.0pt'>Nos pains<o:p></o:p></span></b></h1>"
            "<p class=MsoNormal>Le <b>levain</b> est <i>vivant</i>.<o:p></o:p></p>"
            "<p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>Ouvert.<o:p></o:p></p>"
        ),
        (
            "<h2>Nos pains</h2>",
            "<p>Le <strong>levain</strong> est <em>vivant</em>.</p>",
            "<p>Ouvert.</p>",
        ),
    ),
    Clipboard(
        "word: bullets",
        _word(_word_item("Baguette", place="First") + _word_item("Brioche", place="Last")),
        ("<ul><li>Baguette</li><li>Brioche</li></ul>",),
    ),
    Clipboard(
        "word: bullets in bullets",
        _word(
            _word_item("Pains")
            + _word_item("Seigle", "o", 2)
            + _word_item("Blé", "o", 2)
            + _word_item("Tartes")
        ),
        ("<ul><li>Pains<ul><li>Seigle</li><li>Blé</li></ul></li><li>Tartes</li></ul>",),
    ),
    Clipboard(
        "word: numbers",
        _word(
            "<p class=MsoNormal>Recette :</p>"
            + _word_item("Pétrir", "1.")
            + _word_item("Cuire", "2.")
        ),
        ("<p>Recette :</p>", "<ol><li>Pétrir</li><li>Cuire</li></ol>"),
    ),
    Clipboard(
        "word: list between paragraphs, with emphasis",
        _word(
            "<p class=MsoNormal>Avant</p>"
            + _word_item("Un <b>gros</b> pain")
            + "<p class=MsoNormal>Après</p>"
        ),
        ("<p>Avant</p>", "<ul><li>Un <strong>gros</strong> pain</li></ul>", "<p>Après</p>"),
    ),
    Clipboard(
        "word: underlined, struck, raised",
        _word(
            "<p class=MsoNormal><u>Souligné</u>, <s>barré</s>, 1<sup>er</sup> et H<sub>2</sub>O"
            "<o:p></o:p></p>"
        ),
        phrase="<u>Souligné</u>, <s>barré</s>, 1<sup>er</sup> et H<sub>2</sub>O",
    ),
    Clipboard(
        "word: emphasis by a style",
        _word(
            "<p class=MsoNormal><span class=SpellE>Une</span> <span class=Fort>forte</span>"
            " <span style='mso-bidi-font-style:italic;font-style:italic'>voix</span></p>",
            "span.Fort {mso-style-name:Fort; font-weight:bold;}",
        ),
        phrase="Une <strong>forte</strong> <em>voix</em>",
    ),
    Clipboard(
        "word: table",
        _word(
            "<table class=MsoTableGrid border=1><tr><td width=200 valign=top><p class=MsoNormal>"
            "<b>Pain</b><o:p></o:p></p></td><td><p class=MsoNormal>Prix<o:p></o:p></p></td></tr>"
            "<tr><td><p class=MsoNormal>Baguette</p></td><td><p class=MsoNormal>1,20&nbsp;€</p>"
            "</td></tr></table>"
        ),
        (
            "<table><tbody><tr><td><strong>Pain</strong></td><td>Prix</td></tr>"
            "<tr><td>Baguette</td><td>1,20&nbsp;€</td></tr></tbody></table>",
        ),
    ),
    Clipboard(
        "word: link",
        _word(
            '<p class=MsoNormal>Voir <a href="https://pain.example/"><span style=\'color:blue;'
            "text-decoration:underline'>le site</span></a></p>"
        ),
        phrase='Voir <a href="https://pain.example/">le site</a>',
    ),
    Clipboard(
        "word: heading of the third rank after one of the first",
        _word("<h1>Carte</h1><h3>Desserts</h3><p class=MsoNormal>Tarte</p>"),
        ("<h2>Carte</h2>", "<h4>Desserts</h4>", "<p>Tarte</p>"),
    ),
    Clipboard(
        "word online: list",
        '<div class="ListContainerWrapper SCXW1"><ul class="BulletListStyle1 SCXW1" role="list">'
        '<li data-aria-posinset="1" data-aria-level="1" role="listitem" class="OutlineElement">'
        '<p class="Paragraph" paraid="1"><span data-contrast="auto" class="TextRun"><span class='
        '"NormalTextRun">Lait</span></span><span class="EOP">&nbsp;</span></p></li></ul></div>'
        '<div class="ListContainerWrapper"><ul role="list"><li data-aria-level="2"><p class='
        '"Paragraph"><span class="TextRun">Entier</span></p></li></ul></div><div class='
        '"ListContainerWrapper"><ul role="list"><li data-aria-level="1"><p class="Paragraph">'
        '<span class="TextRun" style="font-weight:bold">Beurre</span></p></li></ul></div>',
        ("<ul><li>Lait<ul><li>Entier</li></ul></li><li><strong>Beurre</strong></li></ul>",),
    ),
    # ---- Google Docs
    Clipboard(
        "docs: plain words",
        _docs(_span("Pain au levain")),
        phrase="Pain au levain",
    ),
    Clipboard(
        "docs: one bold word",
        _docs(_para(_span("Un ") + _span("grand", 700) + _span(" pain"))),
        phrase="Un <strong>grand</strong> pain",
    ),
    Clipboard(
        "docs: italic, underlined, struck, both",
        _docs(
            _para(
                _span("a", style="italic")
                + _span(" ")
                + _span("b", line="underline")
                + _span(" ")
                + _span("c", line="line-through")
                + _span(" ")
                + _span("d", 700, "italic")
            )
        ),
        phrase="<em>a</em> <u>b</u> <s>c</s> <strong><em>d</em></strong>",
    ),
    Clipboard(
        "docs: headings and paragraphs",
        _docs(
            f'<h2 dir="ltr">{_span("Horaires", 400)}</h2>{_para(_span("Tous les jours"))}<br>'
            f'<h3 dir="ltr">{_span("Fermé", 700)}</h3>{_para(_span("Le lundi"))}'
        ),
        (
            "<h2>Horaires</h2>",
            "<p>Tous les jours</p>",
            "<h3>Fermé</h3>",
            "<p>Le lundi</p>",
        ),
    ),
    Clipboard(
        "docs: list in a list",
        _docs(
            f'<ul style="margin-top:0">{_docs_item("Pain")}<ul>{_docs_item("Seigle", 2)}</ul>'
            f"{_docs_item('Tarte')}</ul>"
        ),
        ("<ul><li>Pain<ul><li>Seigle</li></ul></li><li>Tarte</li></ul>",),
    ),
    Clipboard(
        "docs: numbers",
        _docs(f"<ol>{_docs_item('Pétrir')}{_docs_item('Cuire')}</ol>"),
        ("<ol><li>Pétrir</li><li>Cuire</li></ol>",),
    ),
    Clipboard(
        "docs: link",
        _docs(
            _para(
                _span("Notre ")
                + '<a href="https://pain.example/carte" style="text-decoration:none;">'
                + _span("carte", line="underline")
                + "</a>"
            )
        ),
        phrase='Notre <a href="https://pain.example/carte">carte</a>',
    ),
    Clipboard(
        "docs: table",
        _docs(
            '<div dir="ltr" align="left"><table style="border:none"><colgroup><col width="312">'
            f'<col></colgroup><tbody><tr style="height:0pt"><td>{_para(_span("Lundi"))}</td><td>'
            f"{_para(_span('Fermé', 700))}</td></tr></tbody></table></div>"
        ),
        ("<table><tbody><tr><td>Lundi</td><td><strong>Fermé</strong></td></tr></tbody></table>",),
    ),
    Clipboard(
        "docs: raised by a style",
        _docs(
            _para(
                _span("1")
                + '<span style="font-size:0.6em;vertical-align:super;">er</span>'
                + _span(" mai")
            )
        ),
        phrase="1<sup>er</sup> mai",
    ),
    Clipboard(
        "docs: blank lines",
        _docs(f"{_para(_span('Un'))}<br><br>{_para(_span('Deux'))}<br>"),
        ("<p>Un</p>", "<p>Deux</p>"),
    ),
    # ---- Sheets, Excel, Calc
    Clipboard(
        "sheets: cells",
        '<meta charset="utf-8"><google-sheets-html-origin><style type="text/css"><!--td {border: 1px'
        ' solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org'
        '/1999/xhtml" cellspacing="0" dir="ltr" border="1" data-sheets-root="1"><colgroup><col '
        'width="100"/></colgroup><tbody><tr style="height:21px;"><td style="font-weight:bold;" '
        'data-sheets-value="{}">Jour</td><td style="font-style:italic">Heures</td></tr><tr><td>Mardi'
        "</td><td>7–13</td></tr></tbody></table></google-sheets-html-origin>",
        (
            "<table><tbody><tr><td><strong>Jour</strong></td><td><em>Heures</em></td></tr>"
            "<tr><td>Mardi</td><td>7–13</td></tr></tbody></table>",
        ),
    ),
    Clipboard(
        "sheets: one cell",
        '<style type="text/css"><!--td {border: 1px solid #cccccc;}--></style><span '
        'data-sheets-root="1" style="font-size:10pt;font-family:Arial;font-weight:bold;">Brioche'
        "</span>",
        phrase="<strong>Brioche</strong>",
    ),
    Clipboard(
        "excel: bold by class",
        _excel(
            "<tr height=19><td height=19 class=xl65 width=64>Pain</td><td class=xl65>Prix</td></tr>"
            "<tr height=19><td>Baguette</td><td align=right class=xl66>1,20&nbsp;€</td></tr>",
            ".xl65 {font-weight:700;}\n.xl66 {mso-number-format:Standard;}",
        ),
        (
            "<table><tbody><tr><td><strong>Pain</strong></td><td><strong>Prix</strong></td></tr>"
            "<tr><td>Baguette</td><td>1,20&nbsp;€</td></tr></tbody></table>",
        ),
    ),
    Clipboard(
        "excel: one cell",
        _excel("<tr height=19><td height=19 width=64>Chausson</td></tr>"),
        phrase="Chausson",
    ),
    Clipboard(
        "excel: merged cells and a hidden row",
        _excel(
            "<tr><td colspan=2 class=xl65>Été</td></tr><tr><td>Juin</td><td>8 h</td></tr>"
            "<![if supportMisalignedColumns]><tr height=0 style='display:none'><td></td><td></td>"
            "</tr><![endif]>"
        ),
        (
            '<table><tbody><tr><td colspan="2">Été</td></tr><tr><td>Juin</td><td>8 h</td></tr>'
            "</tbody></table>",
        ),
    ),
    Clipboard(
        "calc: cells",
        '<!DOCTYPE html><html><head><meta name="generator" content="LibreOffice 24.2 (Linux)"/>'
        '<style type="text/css">body,div,table,thead,tbody,tfoot,tr,th,td,p { font-family:'
        '"Liberation Sans"; font-size:x-small } a.comment-indicator:hover + comment {display:block;}'
        '</style></head><body><table cellspacing="0" border="0"><colgroup width="85"></colgroup><tr>'
        '<td height="17" align="left" valign=bottom><b>Farine</b></td><td align="right" sdval="5" '
        'sdnum="1036;">5 kg</td></tr><tr><td><i>Sel</i></td><td>1 kg</td></tr></table></body></html>',
        (
            "<table><tbody><tr><td><strong>Farine</strong></td><td>5 kg</td></tr>"
            "<tr><td><em>Sel</em></td><td>1 kg</td></tr></tbody></table>",
        ),
    ),
    Clipboard(
        "numbers: cells of one column",
        '<meta charset="UTF-8"><style type="text/css">td.td1 {padding: 4px} p.p1 {margin: 0.0px}'
        '</style><table class="t1"><tbody><tr><td class="td1"><p class="p1">Ann</p></td></tr><tr>'
        '<td class="td1"><p class="p1">Ben</p></td></tr></tbody></table>',
        ("<p>Ann</p>", "<p>Ben</p>"),
    ),
    # ---- LibreOffice, Pages
    Clipboard(
        "writer: heading, text, list",
        '<html><head><meta name="generator" content="LibreOffice 24.2"/><style type="text/css">'
        "@page { size: 21cm 29.7cm } p { line-height: 115%; background: transparent }</style></head>"
        '<body lang="fr-FR" dir="ltr"><h2 class="western"><font face="Liberation Sans">Menu</font>'
        '</h2><p style="margin-bottom: 0cm"><font face="Arial"><b>Midi</b> : soupe</font></p><ul><li>'
        '<p style="margin-bottom: 0cm">Potiron</p></li><li><p>Poireau</p></li></ul></body></html>',
        (
            "<h2>Menu</h2>",
            "<p><strong>Midi</strong> : soupe</p>",
            "<ul><li>Potiron</li><li>Poireau</li></ul>",
        ),
    ),
    Clipboard(
        "writer: emphasis by spans",
        '<p style="font-weight: normal; line-height: 100%"><span style="font-weight: bold">Gras'
        '</span> et <span style="font-style: italic"><span style="text-decoration: underline">les '
        "deux</span></span></p>",
        phrase="<strong>Gras</strong> et <em><u>les deux</u></em>",
    ),
    Clipboard(
        "pages: emphasis by classes",
        '<html><head><meta http-equiv="Content-Style-Type" content="text/css"><meta name="Generator"'
        ' content="Cocoa HTML Writer"><style type="text/css">p.p1 {margin: 0.0px; font: 12.0px '
        "Helvetica} p.p2 {font: bold 18.0px Helvetica} span.s1 {text-decoration: underline} span.s2 "
        '{font: 12.0px Helvetica; font-weight: bold}</style></head><body><p class="p1">Un <span class='
        '"s1">trait</span><span class="Apple-converted-space">&nbsp;</span>et <span class="s2">gras'
        '</span></p><p class="p1"><br></p><p class="p1">Fin</p></body></html>',
        ("<p>Un <u>trait</u> et <strong>gras</strong></p>", "<p>Fin</p>"),
    ),
    Clipboard(
        "pages: list",
        '<style type="text/css">li.li1 {margin: 0.0px}</style><ul class="ul1"><li class="li1"><span '
        'class="s1"></span>Pomme</li><li class="li1">Poire</li></ul>',
        ("<ul><li>Pomme</li><li>Poire</li></ul>",),
    ),
    Clipboard(
        "textedit: words",
        '<meta charset="utf-8"><style type="text/css">p.p1 {font: 12.0px Helvetica}</style><p class='
        '"p1"><b>Bonjour</b> à tous</p>',
        phrase="<strong>Bonjour</strong> à tous",
    ),
    # ---- Mail
    Clipboard(
        "outlook: paragraphs and a signature",
        _word(
            "<div class=WordSection1><p class=MsoNormal>Bonjour,<o:p></o:p></p><p class=MsoNormal>"
            "<o:p>&nbsp;</o:p></p><p class=MsoNormal>À <b><u>demain</u></b>.<o:p></o:p></p><p class="
            "MsoNormal><span style='mso-fareast-language:FR'>Ann<o:p></o:p></span></p></div>"
        ),
        ("<p>Bonjour,</p>", "<p>À <strong><u>demain</u></strong>.</p>", "<p>Ann</p>"),
    ),
    Clipboard(
        "outlook on the web: divs",
        '<div class="elementToProof" style="font-family: Aptos; font-size: 12pt; color: rgb(0,0,0);">'
        'Chère Ann,</div><div class="elementToProof"><br></div><div class="elementToProof"><span '
        'style="font-size: 12pt;"><b>Merci</b> !</span></div>',
        ("<p>Chère Ann,</p>", "<p><strong>Merci</strong> !</p>"),
    ),
    Clipboard(
        "gmail: divs and a quote",
        '<div dir="ltr" class="gmail_default"><div>Salut</div><div><br></div><div>Ça va ?</div></div>'
        '<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid"><div>'
        "Oui</div></blockquote>",
        ("<p>Salut</p>", "<p>Ça va ?</p>", "<blockquote><p>Oui</p></blockquote>"),
    ),
    Clipboard(
        "gmail: line breaks",
        f'<meta charset="utf-8"><span style="{_CHROME} display: inline !important;">Rue du Four<br>'
        "75006 Paris<br><br>Ouvert</span>",
        ("<p>Rue du Four<br>75006 Paris</p>", "<p>Ouvert</p>"),
    ),
    Clipboard(
        "newsletter: tables that place things",
        '<table role="presentation" width="100%"><tr><td align="center"><table width="600"><tr><td '
        'style="display:none;max-height:0">Vite !</td></tr><tr><td><h2 style="font-weight:700">'
        'Soldes</h2><p>Tout à <strong>moitié</strong> prix.</p><a href="https://pain.example/">Venez'
        "</a></td></tr></table></td></tr></table>",
        (
            "<h2>Soldes</h2>",
            "<p>Tout à <strong>moitié</strong> prix.</p>",
            '<p><a href="https://pain.example/">Venez</a></p>',
        ),
    ),
    Clipboard(
        "apple mail: quoted text",
        '<meta charset="UTF-8"><blockquote type="cite"><div style="font-family: Helvetica;">Premier'
        '</div><div style="font-family: Helvetica;"><b>Second</b></div></blockquote><br class='
        '"Apple-interchange-newline">',
        ("<blockquote><p>Premier</p><p><strong>Second</strong></p></blockquote>",),
    ),
    Clipboard(
        "thunderbird: list in a mail",
        '<div class="moz-cite-prefix">Il faut :</div><ul><li>du sel</li><li>de l’eau<br></li></ul>'
        '<p class="moz-forward-container"><br></p>',
        ("<p>Il faut :</p>", "<ul><li>du sel</li><li>de l’eau</li></ul>"),
    ),
    # ---- Notion, Slack, chats
    Clipboard(
        "notion: heading, text, list",
        '<meta charset="utf-8"><h2>Projet</h2>\n<p>Un <strong>plan</strong> en <em>deux</em> temps'
        "</p>\n<ul>\n<li>Pétrir\n<ul>\n<li>Lentement</li>\n</ul>\n</li>\n<li>Cuire</li>\n</ul>\n"
        "<!-- notionvc: 3c3b9f -->",
        (
            "<h2>Projet</h2>",
            "<p>Un <strong>plan</strong> en <em>deux</em> temps</p>",
            "<ul><li>Pétrir<ul><li>Lentement</li></ul></li><li>Cuire</li></ul>",
        ),
    ),
    Clipboard(
        "notion: tasks, code, line",
        '<ul class="to-do-list"><li><input type="checkbox" disabled> Farine</li></ul><pre><code class='
        '"language-js">let a = 1\n  b</code></pre><hr><blockquote>Cité</blockquote>',
        (
            "<ul><li>Farine</li></ul>",
            "<pre><code>let a = 1\n  b</code></pre>",
            "<hr>",
            "<blockquote><p>Cité</p></blockquote>",
        ),
    ),
    Clipboard(
        "notion: table with heads",
        "<table><thead><tr><th>Pain</th><th>Prix</th></tr></thead><tbody><tr><td>Blé</td><td>2 €</td>"
        "</tr></tbody></table>",
        (
            "<table><tbody><tr><th>Pain</th><th>Prix</th></tr><tr><td>Blé</td><td>2 €</td></tr>"
            "</tbody></table>",
        ),
    ),
    Clipboard(
        "slack: message",
        f'<meta charset="utf-8"><span style="{_CHROME}">Vu avec </span><b data-stringify-type="bold" '
        'style="box-sizing: inherit; font-weight: 700;">Ann</b><span style="font-weight: 400;"> : </span>'
        '<code data-stringify-type="code" class="c-mrkdwn__code">pain</code>',
        phrase="Vu avec <strong>Ann</strong> : <code>pain</code>",
    ),
    Clipboard(
        "slack: list with levels",
        '<ul data-stringify-type="unordered-list" class="p-rich_text_list" data-indent="0"><li '
        'data-stringify-indent="0">Un</li></ul><ul class="p-rich_text_list" data-indent="1"><li '
        'data-stringify-indent="1">Dedans</li></ul><ul data-indent="0"><li data-stringify-indent="0">'
        "Deux</li></ul>",
        ("<ul><li>Un<ul><li>Dedans</li></ul></li><li>Deux</li></ul>",),
    ),
    Clipboard(
        "slack: lines",
        '<div class="p-rich_text_section">Bonjour<br aria-hidden="true">à tous</div>',
        phrase="Bonjour<br>à tous",
    ),
    Clipboard(
        "teams: paragraphs",
        '<div><div class="ui-chat__message"><p style="margin-left:0px">Réunion à <strong>9 h</strong>'
        "</p><p>&nbsp;</p><p>Salle <em>B</em></p></div></div>",
        ("<p>Réunion à <strong>9 h</strong></p>", "<p>Salle <em>B</em></p>"),
    ),
    Clipboard(
        "whatsapp: words",
        f'<span class="selectable-text copyable-text" style="{_CHROME}"><span>À <strong class="x">'
        "samedi</strong></span></span>",
        phrase="À <strong>samedi</strong>",
    ),
    # ---- Pages of the web
    Clipboard(
        "wikipedia: text with notes",
        f'<p style="margin: 0.5em 0px 1em; {_CHROME}">Le <b>pain</b> est un <a href="https://fr.wikipedia'
        '.org/wiki/Aliment" title="Aliment" style="text-decoration: none;">aliment</a><sup id="cite_ref'
        '-1" class="reference" style="unicode-bidi: isolate;"><a href="https://fr.wikipedia.org/wiki/'
        'Pain#cite_note-1">[1]</a></sup>.</p>',
        phrase='Le <strong>pain</strong> est un <a href="https://fr.wikipedia.org/wiki/Aliment">aliment'
        '</a><a href="https://fr.wikipedia.org/wiki/Pain#cite_note-1"><sup>[1]</sup></a>.',
    ),
    Clipboard(
        "wikipedia: heading and list",
        '<div class="mw-heading mw-heading2" style="border-bottom: 1px"><h2 id="Histoire" style="font-'
        'weight: 400; display: inline;">Histoire</h2></div><ul style="list-style-image: none;"><li>'
        '<a href="https://fr.wikipedia.org/wiki/Gaule">Gaule</a></li><li><i>Rome</i></li></ul>',
        (
            "<h2>Histoire</h2>",
            '<ul><li><a href="https://fr.wikipedia.org/wiki/Gaule">Gaule</a></li>'
            "<li><em>Rome</em></li></ul>",
        ),
    ),
    Clipboard(
        "wikipedia: table of facts",
        '<table class="infobox"><caption>Pain</caption><tbody><tr><th scope="row" style="font-weight:'
        'bold">Pays</th><td><a href="https://fr.wikipedia.org/wiki/France">France</a></td></tr></tbody>'
        "</table>",
        (
            "<table><caption>Pain</caption><tbody><tr><th>Pays</th><td>"
            '<a href="https://fr.wikipedia.org/wiki/France">France</a></td></tr></tbody></table>',
        ),
    ),
    Clipboard(
        "shop: a card with a picture and a script",
        '<article class="card"><a href="javascript:alert(1)"><img src="https://x.example/p.jpg" alt='
        '"Pain" onerror="alert(2)"></a><h3 class="t">Miche</h3><p class="price"><del>5 €</del> <ins>4 €'
        "</ins></p><script>alert(3)</script><button>Ajouter</button></article>",
        ("<h3>Miche</h3>", "<p><del>5 €</del> <ins>4 €</ins></p>", "<p>Ajouter</p>"),
    ),
    Clipboard(
        "forum: divs and spans",
        '<div class="post"><div><span style="font-weight:600">Question</span></div><div>Combien de '
        '<span style="text-decoration: underline;">temps</span> ?</div></div>',
        ("<p><strong>Question</strong></p>", "<p>Combien de <u>temps</u> ?</p>"),
    ),
    Clipboard(
        "recipe: steps with headings",
        '<section><h2>Pâte</h2><ol start="3"><li><p>Mélanger</p></li><li><p>Laisser <b>lever</b></p>'
        "</li></ol></section><section><h2>Four</h2><p>À 240°</p></section>",
        (
            "<h2>Pâte</h2>",
            '<ol start="3"><li>Mélanger</li><li>Laisser <strong>lever</strong></li></ol>',
            "<h2>Four</h2>",
            "<p>À 240°</p>",
        ),
    ),
    Clipboard(
        "news: a whole article",
        '<article><header><h1 style="font-weight:900">Le prix du blé</h1><p class="by">Par <a href="/'
        'a">Ann</a></p></header><p>Il <em>monte</em>.</p><figure><img src="x.jpg"><figcaption>Un champ'
        "</figcaption></figure><h2>Pourquoi</h2><p>La pluie.</p></article>",
        (
            "<h2>Le prix du blé</h2>",
            '<p>Par <a href="/a">Ann</a></p>',
            "<p>Il <em>monte</em>.</p>",
            "<p>Un champ</p>",
            "<h3>Pourquoi</h3>",
            "<p>La pluie.</p>",
        ),
    ),
    Clipboard(
        "github: code and emphasis",
        '<p dir="auto">Use <code class="notranslate">make</code>, <strong>not</strong> <kbd>Ctrl</kbd>.'
        "</p>",
        phrase="Use <code>make</code>, <strong>not</strong> <kbd>Ctrl</kbd>.",
    ),
    Clipboard(
        "visual studio code: lines",
        '<meta charset="utf-8"><div style="color: #d4d4d4;font-family: monospace;font-weight: normal;'
        'white-space: pre;"><div><span style="color: #c586c0;">import</span><span> x</span></div><div>'
        "<span>y</span></div></div>",
        ("<p>import x</p>", "<p>y</p>"),
    ),
    Clipboard(
        "pdf in a browser: lines",
        '<meta charset="utf-8"><span style="left: 94px; font-family: sans-serif;">Statuts</span><br '
        'role="presentation"><span>Article premier</span>',
        phrase="Statuts<br>Article premier",
    ),
    Clipboard(
        "evernote: divs with a style",
        '<div><h1 style="--en-level:1">Idées</h1><div><b style="font-weight: bold;">Une</b> première'
        "</div><div><br></div><ul><li><div>puce</div></li></ul></div>",
        ("<h2>Idées</h2>", "<p><strong>Une</strong> première</p>", "<ul><li>puce</li></ul>"),
    ),
    Clipboard(
        "onenote: absolute words",
        "<html xmlns:o=\"urn:schemas-microsoft-com:office:office\"><body style='font-family:Calibri'>"
        "<!--StartFragment--><p style='margin:0in;font-size:11.0pt'>Note <span style='font-weight:bold'>"
        "forte</span></p><ul type=disc><li style='margin-top:0'><span>un</span></li></ul>"
        "<!--EndFragment--></body></html>",
        ("<p>Note <strong>forte</strong></p>", "<ul><li>un</li></ul>"),
    ),
    Clipboard(
        "confluence: panel and list",
        '<div data-panel-type="info"><div><p data-renderer-start-pos="1">À <strong>lire</strong></p>'
        '</div></div><ol class="ak-ol" start="1"><li><p>un</p><ul class="ak-ul"><li><p>a</p></li></ul>'
        "</li><li><p>deux</p></li></ol>",
        ("<p>À <strong>lire</strong></p>", "<ol><li>un<ul><li>a</li></ul></li><li>deux</li></ol>"),
    ),
    Clipboard(
        "powerpoint: lines",
        "<div style='margin-top:7.2pt;text-align:left'><span style='font-size:28.0pt;font-family:Aptos;"
        "font-weight:bold'>Titre</span></div><div><span style='font-size:18pt'>Suite</span></div>",
        ("<p><strong>Titre</strong></p>", "<p>Suite</p>"),
    ),
    Clipboard(
        "french signs keep their blanks",
        "<p>« Bon&nbsp;appétit&nbsp;! », 1&nbsp;250&nbsp;€ à 7&nbsp;h&nbsp;: oui</p>",
        phrase="« Bon appétit&nbsp;! », 1&nbsp;250&nbsp;€ à 7&nbsp;h&nbsp;: oui",
    ),
    Clipboard(
        "one heading",
        "<h2>Nos horaires</h2>",
        ("<h2>Nos horaires</h2>",),
    ),
    Clipboard(
        "arabic from a page",
        '<div dir="rtl"><h3>خبز</h3><p>خبز <b>طازج</b> كل يوم</p></div>',
        ("<h3>خبز</h3>", "<p>خبز <strong>طازج</strong> كل يوم</p>"),
    ),
]
"""One clipboard for each way in which a program writes copied text."""
