# source: the order in which threads finish
# plain: different scheduling
# vary: different scheduling

import threading


def answer(samples):
    order = []
    gate = threading.Barrier(8)

    def work(name):
        gate.wait()
        for _ in range(2000):
            sum(range(1000))
            order.append(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"order": "".join(map(str, order))}
