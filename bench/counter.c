/* Counts the instructions that a program for AArch64 runs in QEMU: all of them, those on vector registers, branches.
 *
 * A plugin (qemu-aarch64 -plugin counter.so PROGRAM) for QEMU before 9, which still adds up inline this way. It is small
 * enough to name what it needs of qemu-plugin.h, which Debian does not package. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
static uint64_t counts[3];

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    uint64_t n = qemu_plugin_tb_n_insns(tb), vector = 0, branches = 0;
    (void)id;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i)), 4);
        uint32_t group = word >> 25 & 15; /* "op0" in the architecture manual's table of encodings; 2 is SVE */
        vector += (group & 7) == 7 || (group & 5) == 4 ? word >> 26 & 1 : group == 2;
        branches += (group & 14) == 10;
    }
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &counts[0], n);
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &counts[1], vector);
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &counts[2], branches);
}

static void at_exit(qemu_plugin_id_t id, void *unused)
{
    (void)id, (void)unused;
    fprintf(stderr, "Collected : %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts[0], counts[1], counts[2]);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int n, char **args)
{
    (void)info, (void)n, (void)args;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, at_exit, 0);
    return 0;
}
