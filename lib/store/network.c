/* SPDX-License-Identifier: MIT */
/*
 * Which file systems lie on a network, by the magic numbers of statfs(2): those of
 * <linux/magic.h>, and of systems that do not come with Linux, as their makers publish them.
 *
 * A write-ahead log needs memory that all who have the store open share, and those may be on
 * another machine here. Folders that a virtual machine shares with its host are the same thing.
 * What cannot be looked at is taken for such a system: the price is time, never a session.
 */
#include "store/handle.h"

#include <sys/vfs.h>

static const struct {
    uint32_t magic;
    const char *name;
} NETWORK[] = {
    { 0x00006969, "nfs" },    { 0xff534d42, "cifs" },   { 0xfe534d42, "smb2" },
    { 0x0000517b, "smb" },    { 0x65735546, "fuse" }, /* sshfs and its kin; virtiofs too */
    { 0x01021997, "9p" },     { 0x5346414f, "afs" },    { 0x6b414653, "afs" },
    { 0x00c36400, "ceph" },   { 0x73757245, "coda" },   { 0x0000564c, "ncp" },
    { 0x7461636f, "ocfs2" },  { 0x01161970, "gfs2" },   { 0x20030528, "orangefs" },
    { 0x0bd00bd0, "lustre" }, { 0x47504653, "gpfs" },   { 0x19830326, "beegfs" },
    { 0xaad7aaea, "panfs" },  { 0xbeefdead, "snfs" },   { 0x786f4256, "vboxsf" },
    { 0xbacbacbc, "vmhgfs" }, { 0x7c7c6673, "prl_fs" },
};

const char *deja__network_name(const char *path)
{
    struct statfs about;
    if (statfs(path, &about) != 0)
        return "of an unknown kind";
    for (size_t i = 0; i < sizeof NETWORK / sizeof *NETWORK; i++)
        if ((uint32_t)about.f_type == NETWORK[i].magic)
            return NETWORK[i].name;
    return NULL;
}

deja_code deja__network_look(deja_store *store, deja_error *err)
{
    deja_buffer text = { 0 };
    const char *name = deja__network_name(store->path);
    if (!name)
        return DEJA_OK;
    deja__print(&text,
                "%s: is on a network file system (%s): without a write-ahead log each commit waits "
                "for its disk; record to a local disk, and copy the store when it is closed",
                store->name, name);
    if (text.failed) {
        deja_buffer_release(&text);
        return deja__fail_memory(err);
    }
    store->remark = (char *)text.bytes;
    return DEJA_OK;
}
