"""Which compiled code may be run: that in places where only this user and root can write.

Whoever can change a file of compiled code can run code as everybody who loads it. So a folder is trusted only if it and
all folders above it belong to this user or root, and nobody else may write there. Windows, where users have private
folders and there are no mode bits, is not checked.
"""

import os
import stat
from pathlib import Path

_WITH_USERS = hasattr(os, "geteuid")


def distrust(folder: Path) -> str | None:
    """Why compiled code in ``folder`` must not be run; None if it may.

    ``folder`` is absolute and without links. It need not exist: then its existing parents are checked.
    """
    for place in (folder, *folder.parents):
        try:
            status = place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return f"{place} cannot be examined ({error.strerror})"
        if why := _fault(place, status, is_above=place != folder):
            return f"{place} {why}"
    return None


def is_trusted_file(file: int) -> bool:
    """Whether only this user and root can have written the open file with this descriptor."""
    return _fault(file, os.fstat(file)) is None


def _fault(place: Path | int, status: os.stat_result, is_above: bool = False) -> str | None:
    mode, user = status.st_mode, status.st_uid
    if not _WITH_USERS:
        return None
    if user not in (0, os.geteuid()) and not (is_above and _is_outside(user)):
        return f"belongs to another user ({user})"
    if is_above and mode & stat.S_ISVTX:
        return None  # Sticky, like /tmp: others may create files there, but cannot change ours.
    if mode & stat.S_IWOTH:
        return "can be written by everybody (chmod go-w)"
    if mode & stat.S_IWGRP and (not _is_private(status.st_gid) or _has_access_list(place)):
        return f"can be written by a group ({status.st_gid}; chmod g-w)"
    return None


def _is_private(group: int) -> bool:
    """Whether a group is the private group of this user or root, with the user's name, as on many systems."""
    import grp
    import pwd

    try:
        entry = grp.getgrgid(group)
        names = [pwd.getpwuid(user).pw_name for user in (os.geteuid(), 0)]
    except KeyError:
        return False
    return entry.gr_name in names and {*entry.gr_mem} <= {entry.gr_name}


def _has_access_list(place: Path | int) -> bool:
    """Whether an access list lets more users write than the mode bits show (which then are only an upper bound)."""
    try:
        return any("acl" in name for name in os.listxattr(place))
    except (AttributeError, OSError):
        return False


def _is_outside(user: int) -> bool:
    """Whether the id stands for all users outside a user namespace, as root may appear to a sandboxed program.

    No user inside the sandbox has it.
    """
    try:
        nobody = int(Path("/proc/sys/kernel/overflowuid").read_text())
        users = Path("/proc/self/uid_map").read_text().split()
    except (OSError, ValueError):
        return False
    return user == nobody and users != ["0", "0", str(2**32 - 1)]
