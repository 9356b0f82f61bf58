"""The images that the writer is making: each in many steps, between which it does what else it is asked."""

from __future__ import annotations

from collections.abc import Callable

from simmail.errors import Unavailable
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.maildir.image import ImageMaker, leftovers


class ImageMakers:
    """
    By the directory of all universes and the id they are for.

    @param wall: the wall clock's Unix time, as files have it; is_open: tells whether somebody uses a universe's mail.
    """

    def __init__(self, wall: Callable[[], float], is_open: Callable[[StoreId], bool]) -> None:
        self._wall, self._is_open = wall, is_open
        self._makers: dict[StoreId, ImageMaker] = {}

    def begun(self, source: StoreId, target: StoreId, renewed: bool = False) -> ImageMaker:
        """
        Return what makes an image, begun when it is first asked for, anew when that has made one which nobody wanted.

        @raise Conflict: there is mail already.
        """
        maker = self._makers.get(target)
        if (maker is None or maker.finished or maker.source != source.universe
                or maker.links and maker.renewed is not renewed):
            maker = self._makers[target] = ImageMaker(
                source.path, source.universe, target.universe, self._wall, not self._is_open(source), renewed)
        maker.renewed = renewed
        return maker

    def made(self, target: StoreId) -> ImageMaker:
        """Return what has made an image.  @raise Unavailable: it went with the process that had."""
        maker = self._makers.get(target)
        if maker is None or not maker.finished:
            raise Unavailable("the image is lost; try again")
        return maker

    def done(self, target: StoreId) -> None:
        """An image is there, or not wanted; what there is of it then is a leftover."""
        self._makers.pop(target, None)

    def leftovers(self, path: str) -> list[str]:
        """Find directories of images that are not being made any more, and of what is gone."""
        making = tuple(maker.fresh for maker in self._makers.values())
        return [one for one in leftovers(path) if not one.startswith(making)]
