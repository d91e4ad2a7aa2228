// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drivers/net/contraflow.c - network interfaces whose other end is a program: /dev/contraflow, see contraflow.h.
 *
 * Frames of all interfaces wait in one list, in the order in which the stacks sent them. With `hold` a frame keeps its
 * owner until the program says that it has left, as with a NIC that completes transmissions late: what TCP Small Queues
 * count. Without, it has none from the start, as behind a TAP.
 *
 * CONTRAFLOW_QUEUE uses the discipline of an interface as the queue of a port whose transmitter is the program's: frames
 * are enqueued and dequeued when it says so, and the interface itself never sends.
 */
#include <linux/contraflow.h>
#include <linux/etherdevice.h>
#include <linux/file.h>
#include <linux/hrtimer.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/uio.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <net/pkt_sched.h>
#include <net/sock.h>

#define CONTRAFLOW_ZEROS 65536

struct contraflow_nic {
	u32 number;
	bool hold;
	/* as a port's queue: frames that the discipline has, and those it lost; there is always room for all of them */
	u32 waiting, n_lost, room;
	u32 *lost;
	struct napi_struct napi;
	struct sk_buff_head gathered;	/* for the next poll */
};

static DEFINE_XARRAY_ALLOC(contraflow_nics);	/* struct net_device */
static DEFINE_XARRAY_ALLOC(contraflow_held);	/* struct sk_buff, read and not yet done */
static struct sk_buff_head contraflow_sent;
static DECLARE_WAIT_QUEUE_HEAD(contraflow_wait);
static void *contraflow_zeros;
int contraflow_emulator;
unsigned long long contraflow_watchdog_ns;

static netdev_tx_t contraflow_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct contraflow_nic *nic = netdev_priv(dev);

	if (!nic->hold)
		skb_orphan(skb);
	skb_dst_drop(skb);
	*(u64 *)skb->cb = ktime_get_ns();
	skb_queue_tail(&contraflow_sent, skb);
	if (skb_queue_len(&contraflow_sent) == 1)
		wake_up(&contraflow_wait);
	return NETDEV_TX_OK;
}

static const struct net_device_ops contraflow_netdev_ops = {
	.ndo_start_xmit = contraflow_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void contraflow_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &contraflow_netdev_ops;
	dev->features |= NETIF_F_LLTX;
	dev->needs_free_netdev = true;
}

static int contraflow_poll(struct napi_struct *napi, int budget)
{
	struct contraflow_nic *nic = container_of(napi, struct contraflow_nic, napi);
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (skb = __skb_dequeue(&nic->gathered))) {
		napi_gro_receive(napi, skb);
		done++;
	}
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

static int contraflow_add(const struct contraflow_add *add)
{
	struct net_device *dev = alloc_netdev(sizeof(struct contraflow_nic), "eth%d", NET_NAME_USER, contraflow_setup);
	struct contraflow_nic *nic;
	int err;

	if (!dev)
		return -ENOMEM;
	nic = netdev_priv(dev);
	dev_net_set(dev, current->nsproxy->net_ns);
	eth_hw_addr_set(dev, add->mac);
	dev->max_mtu = add->max_mtu;
	err = xa_alloc(&contraflow_nics, &nic->number, dev, xa_limit_31b, GFP_KERNEL);
	if (err) {
		free_netdev(dev);
		return err;
	}
	__skb_queue_head_init(&nic->gathered);
	netif_napi_add(dev, &nic->napi, contraflow_poll);
	napi_enable(&nic->napi);
	err = register_netdev(dev);
	if (err) {
		xa_erase(&contraflow_nics, nic->number);
		free_netdev(dev);
		return err;
	}
	return nic->number;
}

/* A frame of the program's. */
static struct sk_buff *contraflow_skb(struct net_device *dev, u64 address, s64 bytes)
{
	struct sk_buff *skb;

	if (!dev || bytes < ETH_HLEN || bytes > dev->max_mtu + ETH_HLEN)
		return ERR_PTR(-EINVAL);
	skb = netdev_alloc_skb_ip_align(dev, bytes);
	if (!skb)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(skb_put(skb, bytes), (void __user *)address, bytes)) {
		kfree_skb(skb);
		return ERR_PTR(-EFAULT);
	}
	return skb;
}

static s64 contraflow_deliver(const struct contraflow_op *op)
{
	struct net_device *dev = xa_load(&contraflow_nics, op->at);
	struct sk_buff *skb = contraflow_skb(dev, op->address, op->bytes);

	if (IS_ERR(skb))
		return PTR_ERR(skb);
	skb->protocol = eth_type_trans(skb, dev);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	local_bh_disable();
	if (op->kind == CONTRAFLOW_GATHER)
		__skb_queue_tail(&((struct contraflow_nic *)netdev_priv(dev))->gathered, skb);
	else
		netif_receive_skb(skb);
	local_bh_enable();
	return 0;
}

/* What was gathered for an interface comes in. */
static void contraflow_receive(u32 at)
{
	struct net_device *dev = xa_load(&contraflow_nics, at);

	if (!dev)
		return;
	local_bh_disable();
	napi_schedule(&((struct contraflow_nic *)netdev_priv(dev))->napi);
	local_bh_enable();
}

static s64 contraflow_done(u32 slot)
{
	struct sk_buff *skb = xa_erase(&contraflow_held, slot);

	local_bh_disable();
	consume_skb(skb);
	local_bh_enable();
	return 0;
}

static s64 contraflow_socket(const struct contraflow_op *op)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct socket *sock;
	s64 done = 0;
	int err = 0;

	sock = sockfd_lookup(op->at, &err);
	if (!sock)
		return err;
	if (op->kind == CONTRAFLOW_RECEIVE) {
		iov_iter_discard(&msg.msg_iter, READ, 1 << 30);
		done = sock_recvmsg(sock, &msg, MSG_DONTWAIT | MSG_TRUNC);
	} else if (!sk_stream_is_writeable(sock->sk)) {
		done = -EAGAIN;
	} else {
		while (done < op->bytes) {
			size_t n = min_t(s64, op->bytes - done, CONTRAFLOW_ZEROS);
			struct kvec part = { contraflow_zeros, n };

			err = kernel_sendmsg(sock, &msg, &part, 1, n);
			if (err > 0)
				done += err;
			if (err != n)
				break;
		}
		if (op->kind == CONTRAFLOW_SEND_LAST && done == op->bytes)
			kernel_sock_shutdown(sock, SHUT_WR);
		done = done ?: err;
	}
	sockfd_put(sock);
	return done;
}

static int contraflow_do(const struct contraflow_step *step)
{
	struct contraflow_op __user *at = (void __user *)step->ops;
	bool gathers = false;
	u32 i, gathered = 0;

	for (i = 0; i < step->n_ops; i++, at++) {
		struct contraflow_op op;
		s64 result;

		if (copy_from_user(&op, at, sizeof(op)))
			return -EFAULT;
		if (gathers && (op.kind != CONTRAFLOW_GATHER || op.at != gathered))
			contraflow_receive(gathered);
		gathers = op.kind == CONTRAFLOW_GATHER;
		gathered = op.at;
		switch (op.kind) {
		case CONTRAFLOW_DELIVER:
		case CONTRAFLOW_GATHER:
			result = contraflow_deliver(&op);
			break;
		case CONTRAFLOW_DONE:
			result = contraflow_done(op.at);
			break;
		case CONTRAFLOW_RECEIVE:
		case CONTRAFLOW_SEND:
		case CONTRAFLOW_SEND_LAST:
			result = contraflow_socket(&op);
			break;
		default:
			return -EINVAL;
		}
		if ((op.kind >= CONTRAFLOW_RECEIVE || result < 0) && put_user(result, &at->result))
			return -EFAULT;
	}
	if (gathers)
		contraflow_receive(gathered);
	return 0;
}

/* When to stop waiting, by what is sent so far. */
static ktime_t contraflow_until(const struct contraflow_step *step)
{
	struct sk_buff *skb = skb_peek(&contraflow_sent);

	return ns_to_ktime(skb ? min_t(u64, step->deadline_ns, *(u64 *)skb->cb + step->linger_ns) : step->deadline_ns);
}

/* The oldest frames sent, as many as there is room for. */
static int contraflow_take(struct contraflow_step *step)
{
	u8 __user *out = (void __user *)step->out;
	u32 used = 0;
	struct sk_buff *skb;

	step->n_frames = 0;
	while ((skb = skb_peek(&contraflow_sent))) {
		struct contraflow_nic *nic = netdev_priv(skb->dev);
		struct contraflow_frame head = { .at = nic->number, .bytes = skb->len,
						 .time_ns = *(u64 *)skb->cb };
		u32 size = ALIGN(sizeof(head) + skb->len, 8);
		int err = 0;

		if (size > step->room - used)
			break;
		skb = skb_dequeue(&contraflow_sent);
		if (nic->hold)
			err = xa_alloc(&contraflow_held, &head.slot, skb, xa_limit_31b, GFP_KERNEL);
		if (!err && (copy_to_user(out + used, &head, sizeof(head)) ||
			     copy_to_user(out + used + sizeof(head), skb->data, skb_headlen(skb))))
			err = -EFAULT;
		if (!nic->hold || err)
			consume_skb(skb);
		if (err)
			return err;
		used += size;
		step->n_frames++;
	}
	step->more = !skb_queue_empty(&contraflow_sent);
	return 0;
}

/* The discipline gave up a frame. Its number and its interface's are where no discipline keeps anything; skb->dev is
 * not, in a tree.
 */
void contraflow_lose(struct sk_buff *skb)
{
	u64 which = (uintptr_t)skb_shinfo(skb)->destructor_arg;
	struct contraflow_nic *nic = netdev_priv((struct net_device *)xa_load(&contraflow_nics, which >> 32));

	nic->waiting--;
	nic->lost[nic->n_lost++] = (u32)which;
}

static struct Qdisc *contraflow_qdisc(struct net_device *dev)
{
	return rcu_dereference_bh(netdev_get_tx_queue(dev, 0)->qdisc);
}

static int contraflow_push(struct net_device *dev, const struct contraflow_queue *q)
{
	struct contraflow_nic *nic = netdev_priv(dev);
	struct sk_buff *skb, *drop = NULL;
	struct Qdisc *qdisc;

	if (nic->waiting + nic->n_lost >= nic->room) {
		u32 room = nic->room ? 2 * nic->room : 256;
		u32 *lost = krealloc_array(nic->lost, room, sizeof(*lost), GFP_KERNEL);

		if (!lost)
			return -ENOMEM;
		nic->lost = lost;
		nic->room = room;
	}
	skb = contraflow_skb(dev, q->address, q->bytes);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb->protocol = eth_hdr(skb)->h_proto;
	skb_probe_transport_header(skb);
	skb->priority = q->priority;
	skb_shinfo(skb)->destructor_arg = (void *)(uintptr_t)((u64)nic->number << 32 | q->frame);
	skb->destructor = contraflow_lose;
	nic->waiting++;
	rcu_read_lock_bh();
	qdisc = contraflow_qdisc(dev);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	qdisc_calculate_pkt_len(skb, qdisc);
	spin_lock(qdisc_lock(qdisc));
	qdisc->enqueue(skb, qdisc, &drop);
	spin_unlock(qdisc_lock(qdisc));
	if (drop)
		kfree_skb_list(drop);
	rcu_read_unlock_bh();
	return 0;
}

static int contraflow_pop(struct net_device *dev, struct contraflow_queue *q)
{
	struct contraflow_nic *nic = netdev_priv(dev);
	struct Qdisc *qdisc;
	struct sk_buff *skb;

	rcu_read_lock_bh();
	qdisc = contraflow_qdisc(dev);
	spin_lock(qdisc_lock(qdisc));
	contraflow_watchdog_ns = U64_MAX;
	skb = qdisc->dequeue(qdisc);
	spin_unlock(qdisc_lock(qdisc));
	rcu_read_unlock_bh();
	q->frame = 0;
	q->ready_ns = skb || contraflow_watchdog_ns == U64_MAX ? 0 : contraflow_watchdog_ns;
	if (!skb)
		return 0;
	if (skb->destructor != contraflow_lose) {	/* a second one of the same */
		consume_skb(skb);
		return -EOPNOTSUPP;
	}
	q->frame = (u32)(uintptr_t)skb_shinfo(skb)->destructor_arg;
	memcpy(q->head, skb->data, min_t(u32, skb_headlen(skb), CONTRAFLOW_HEAD));
	nic->waiting--;
	skb->destructor = NULL;
	consume_skb(skb);
	return 0;
}

static long contraflow_queue(struct contraflow_queue __user *user)
{
	struct contraflow_queue q;
	struct contraflow_nic *nic;
	struct net_device *dev;
	int err = 0;

	if (copy_from_user(&q, user, sizeof(q)))
		return -EFAULT;
	dev = xa_load(&contraflow_nics, q.at);
	if (!dev || !(dev->flags & IFF_UP))
		return -ENODEV;
	netif_tx_stop_all_queues(dev); /* whoever wakes the discipline shall not send */
	nic = netdev_priv(dev);
	if (q.kind == CONTRAFLOW_PUSH)
		err = contraflow_push(dev, &q);
	else if (q.kind == CONTRAFLOW_POP)
		err = contraflow_pop(dev, &q);
	if (err)
		return err;
	q.waiting = nic->waiting;
	q.n_lost = min_t(u32, nic->n_lost, CONTRAFLOW_LOST_MOST);
	memcpy(q.lost, nic->lost, q.n_lost * sizeof(*q.lost));
	nic->n_lost -= q.n_lost;
	memmove(nic->lost, nic->lost + q.n_lost, nic->n_lost * sizeof(*q.lost));
	return copy_to_user(user, &q, sizeof(q)) ? -EFAULT : 0;
}

static long contraflow_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;

	if (cmd == CONTRAFLOW_ADD) {
		struct contraflow_add add;

		return copy_from_user(&add, user, sizeof(add)) ? -EFAULT : contraflow_add(&add);
	}
	if (cmd == CONTRAFLOW_HOLD) {
		struct net_device *dev = xa_load(&contraflow_nics, arg);

		if (!dev)
			return -ENODEV;
		((struct contraflow_nic *)netdev_priv(dev))->hold = true;
		return 0;
	}
	if (cmd == CONTRAFLOW_STEP) {
		struct contraflow_step step;
		ktime_t until;
		long err;

		if (copy_from_user(&step, user, sizeof(step)))
			return -EFAULT;
		err = contraflow_do(&step);
		if (err)
			return err;
		while ((until = contraflow_until(&step)) > ktime_get() && !signal_pending(current)) {
			DEFINE_WAIT(wait);
			u32 before = skb_queue_len(&contraflow_sent);

			/* what is sent first shortens the wait; the rest does not */
			prepare_to_wait(&contraflow_wait, &wait, TASK_INTERRUPTIBLE);
			if (before || skb_queue_empty(&contraflow_sent))
				schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS);
			finish_wait(&contraflow_wait, &wait);
		}
		err = contraflow_take(&step);
		step.now_ns = ktime_get_ns();
		if (!err && copy_to_user(user, &step, sizeof(step)))
			err = -EFAULT;
		return err;
	}
	if (cmd == CONTRAFLOW_QUEUE)
		return contraflow_queue(user);
	return -ENOTTY;
}

static int contraflow_open(struct inode *inode, struct file *file)
{
	if (!contraflow_emulator)
		contraflow_emulator = task_tgid_nr(current);
	return 0;
}

static const struct file_operations contraflow_fops = {
	.owner = THIS_MODULE,
	.open = contraflow_open,
	.unlocked_ioctl = contraflow_ioctl,
};

static struct miscdevice contraflow_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "contraflow",
	.fops = &contraflow_fops,
	.mode = 0600,
};

static int __init contraflow_init(void)
{
	skb_queue_head_init(&contraflow_sent);
	contraflow_zeros = kzalloc(CONTRAFLOW_ZEROS, GFP_KERNEL);
	return contraflow_zeros ? misc_register(&contraflow_misc) : -ENOMEM;
}
device_initcall(contraflow_init);
