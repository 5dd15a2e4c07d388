import { once } from 'node:events';
import smpp from 'smpp';

/** A carrier of the npm package `smpp`, which counts the binds of a login: beyond `limit` it refuses them. */
export async function startCountingSmsc(limit) {
  const sessions = new Set();
  const seen = new Map();
  const smsc = { limit, sessions, seen, most: 0, refused: 0, times: [] };
  const server = smpp.createServer((session) => {
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
    session.on('bind_transceiver', (pdu) => {
      const isFull = sessions.size >= smsc.limit;
      if (isFull) smsc.refused += 1;
      else sessions.add(session);
      smsc.most = Math.max(smsc.most, sessions.size);
      session.send(pdu.response({ command_status: isFull ? smpp.ESME_RALYBND : smpp.ESME_ROK }));
    });
    session.on('unbind', (pdu) => {
      sessions.delete(session);
      session.send(pdu.response());
      session.close();
    });
    session.on('enquire_link', (pdu) => session.send(pdu.response()));
    session.on('submit_sm', (pdu) => {
      const to = String(pdu.destination_addr);
      const at = performance.now();
      seen.set(to, [...(seen.get(to) ?? []), at]);
      smsc.times.push(at);
      session.send(pdu.response({ message_id: `m-${smsc.times.length}` }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  smsc.port = server.address().port;
  smsc.stop = () => {
    for (const session of sessions) session.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return smsc;
}
