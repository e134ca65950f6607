#!/usr/bin/env python3
"""Carries TCP connections and delays every byte: script/delay_proxy.py LISTEN-PORT HOST:PORT MILLISECONDS

For kernels that have no netem. It holds at most QUEUE pieces of a direction, and closes both ends when one is closed.
"""
import asyncio, sys

QUEUE, PIECE = 256, 16384


async def carry(reader, writer, delay):
    loop, waiting = asyncio.get_running_loop(), asyncio.Queue(QUEUE)

    async def read():
        while data := await reader.read(PIECE):
            await waiting.put((loop.time() + delay, data))
        await waiting.put((loop.time() + delay, None))

    async def write():
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if data is None:
                break
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()

    await asyncio.gather(read(), write())


async def main():
    port, (host, target), delay = int(sys.argv[1]), sys.argv[2].rsplit(":", 1), float(sys.argv[3]) / 1000

    async def accept(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(host, int(target))
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(carry(reader, far_writer, delay), carry(far_reader, writer, delay))
        except OSError:
            pass
        finally:
            writer.close()
            far_writer.close()

    async with await asyncio.start_server(accept, "127.0.0.1", port) as server:
        await server.serve_forever()


asyncio.run(main())
