"""
Rules about what is shown: links, pictures, and who can read it.
"""

from __future__ import annotations

from simmail.core.html.links import host_of
from simmail.core.inspection.finding import Observation, failed, passed
from simmail.core.inspection.subject import InspectedMail
from simmail.core.net.hosts import is_local
from simmail.core.net.url import BadUrl, parse

_SAYS_NOTHING = frozenset(("click here", "here", "link", "read more", "more", "click", "this link", "hier",
                           "hier klicken", "mehr", "weiterlesen"))


def links_formed(one: InspectedMail) -> Observation:
    """Say whether web links can be opened as they are written."""
    count = 0
    for link in one.letter.links:
        if link.url[:5].lower() not in ("http:", "https"):
            continue
        count += 1
        try:
            parse(link.url)
        except BadUrl as error:
            return failed(f"{link.url[:100]}: {error}")
    return passed(f"{count} web links")


def links_public(one: InspectedMail) -> Observation:
    """Say whether links lead where the recipient can go too."""
    for link, host in zip(one.letter.links, one.letter.hosts):
        if host and is_local(host):
            return failed(f"{link.url[:100]} is on the sender's own machine or network")
    return passed("no link leads to the sender's own machine")


def links_secure(one: InspectedMail) -> Observation:
    """Say whether web links are https."""
    plain = [link.url for link in one.letter.links if link.url[:7].lower() == "http://"
             and not is_local(host_of(link.url))]
    return failed(f"{len(plain)} links without TLS such as {plain[0][:80]}") if plain else passed("no link without TLS")


def links_filled(one: InspectedMail) -> Observation:
    """Say whether every link leads somewhere, and every placeholder was filled."""
    for tag in one.tags:
        if tag.name == "a" and "href" in tag.attributes and tag.attributes["href"].strip() in ("", "#"):
            return failed("a link that leads nowhere")
    for mark in ("{{", "}}", "<%", "%%", "${", "[FIRSTNAME]", "*|"):
        for where, text in (("subject", one.mail.subject), ("text", one.letter.text)):
            if mark in text:
                at = text.index(mark)
                return failed(f"a placeholder in the {where}: {text[at:at + 30]!r}")
    return passed("nothing is left to be filled in")


def image_alt(one: InspectedMail) -> Observation:
    """Say whether pictures have a text that stands for them."""
    images = [tag for tag in one.tags if tag.name == "img"]
    bare = [tag for tag in images if "alt" not in tag.attributes]
    if bare:
        return failed(f"{len(bare)} of {len(images)} pictures without alt, such as "
                      f"{bare[0].attributes.get('src', '')[:80]}")
    return passed(f"{len(images)} pictures, each with alt")


def html_language(one: InspectedMail) -> Observation:
    """Say whether the HTML says its language."""
    if not one.mail.html:
        return passed("there is no HTML")
    for tag in one.tags:
        if tag.attributes.get("lang"):
            return passed(f"lang is {tag.attributes['lang'][:20]}")
    return failed("no element says its language (lang)")


def link_purpose(one: InspectedMail) -> Observation:
    """Say whether the words of links say where they lead."""
    if not one.mail.html:
        return passed("there is no HTML")
    for link in one.letter.links:
        said = " ".join(link.text.lower().split())
        if not said:
            return failed(f"a link without words: {link.url[:80]}")
        if said.rstrip(".!>\u00bb ") in _SAYS_NOTHING:
            return failed(f"{link.text[:40]!r} does not say where it leads")
    return passed(f"{len(one.letter.links)} links say where they lead")


def table_role(one: InspectedMail) -> Observation:
    """Say whether tables that only lay out say so."""
    tables = [tag for tag in one.tags if tag.name == "table"]
    if any(tag.name == "th" for tag in one.tags):
        return passed("tables with headings")
    bare = [tag for tag in tables if tag.attributes.get("role") not in ("presentation", "none")]
    if bare:
        return failed(f"{len(bare)} of {len(tables)} tables without role=presentation are read out as data")
    return passed(f"{len(tables)} tables")


def page_title(one: InspectedMail) -> Observation:
    """Say whether a whole page has a title."""
    if not any(tag.name == "html" for tag in one.tags):
        return passed("it is no whole page")
    return passed("a title") if any(tag.name == "title" for tag in one.tags) else failed("<html> without <title>")


def script_free(one: InspectedMail) -> Observation:
    """Say whether it does without what every client removes."""
    for name in ("script", "iframe", "object", "embed", "applet"):
        if any(tag.name == name for tag in one.tags):
            return failed(f"<{name}> is removed by every client")
    return passed("nothing that every client removes")


def image_secure(one: InspectedMail) -> Observation:
    """Say whether pictures come by TLS."""
    plain = [tag.attributes["src"] for tag in one.tags if tag.name == "img"
             and tag.attributes.get("src", "")[:7].lower() == "http://"]
    return failed(f"{len(plain)} pictures without TLS such as {plain[0][:80]}") if plain else passed("no such picture")
