import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../stage/client.mjs';
import { shiftedClock } from '../../stage/clock.mjs';

const all = ({ carriers }) => Object.values(carriers);
const calmed = (scene) => () => all(scene).forEach((carrier) => carrier.calm());

/** A mood of all carriers. @param share of the messages that it takes in */
const mood =
  (answer, share = 1) =>
  async (scene, seed) => {
    for (const carrier of all(scene)) carrier.mood = () => (seed.chance(share) ? answer : undefined);
    return calmed(scene);
  };

/** Something that all ways to carriers do until they are healed. */
const ways = (work) => async (scene) => {
  await Promise.all(all(scene).map(({ way }) => work(way)));
  return () => Promise.all(all(scene).map(({ way }) => way.heal({ lines: false })));
};

export default [
  {
    name: 'carrier-throttling',
    shown: 'every carrier answers "too fast" to most messages',
    strike: mood('throttled', 0.8),
  },
  {
    name: 'carrier-faulty',
    shown: 'every carrier answers a fault of its own to half of the messages',
    strike: mood('fault', 0.5),
  },
  {
    name: 'carrier-refusing',
    shown: 'no carrier takes connections',
    strike: ways((way) => way.refuse()),
  },
  {
    name: 'carrier-half-open',
    shown: 'connections to carriers stay open, and nothing comes through',
    holdMs: [3_500, 4_500],
    strike: ways((way) => way.silence()),
  },
  {
    name: 'carrier-takes-502',
    shown: 'carriers take messages and answer 502; the SMSC cuts the session',
    strike: mood('taken, answered 502', 0.3),
  },
  {
    name: 'carrier-takes-silent',
    shown: 'carriers take messages and never answer',
    holdMs: [3_500, 4_500],
    strike: mood('taken, no answer', 0.3),
  },
  {
    name: 'carrier-slow',
    shown: 'everything to and from carriers takes 700 ms longer',
    strike: ways((way) => way.delay(700)),
  },
  {
    name: 'smsc-restarted',
    shown: 'the SMSC restarts with full windows of messages it has taken',
    strike: async ({ carriers: { smsc } }) => {
      const before = smsc.ledger.length;
      smsc.isHoldingAnswers = true;
      await until(() => smsc.ledger.length, (taken) => taken >= before + 60, { withinMs: 15_000 }); // prettier-ignore
      let back;
      const gone = new Promise((resolve) => (back = resolve));
      const restarted = smsc.restart(() => gone);
      return async () => {
        back();
        await restarted;
      };
    },
  },
  {
    name: 'smsc-refuses-binds',
    shown: 'the SMSC ends its sessions and refuses new binds',
    strike: async ({ carriers: { smsc } }) => {
      smsc.refusesBinds = true;
      smsc.drop();
      return () => smsc.calm();
    },
  },
  {
    name: 'receipts-doubled',
    shown: 'each receipt comes three times',
    strike: async (scene) => {
      for (const { outbox } of all(scene)) outbox.copies = 3;
      return calmed(scene);
    },
  },
  {
    name: 'receipts-reordered',
    shown: 'receipts are kept back and come in any order, those of one message too',
    strike: async (scene) => {
      for (const { outbox } of all(scene)) {
        outbox.isShuffled = true;
        outbox.hold();
      }
      return calmed(scene);
    },
  },
  {
    name: 'receipts-early',
    shown: 'receipts come before the answer to their message',
    strike: async (scene) => {
      for (const carrier of all(scene)) carrier.receiptsComeEarly = true;
      return calmed(scene);
    },
  },
  {
    name: 'receipts-late',
    // nobody may be answered any more who wrote a day before
    overtaken: ['ticket_expired'],
    shown: 'receipts come a day late: all clocks of the service move on by 25 hours before they do',
    holdMs: [0, 0],
    spoils: true,
    strike: async (scene, seed) => {
      for (const { outbox } of all(scene)) outbox.hold();
      await sleep(seed.between(1_000, 2_000));
      const tomorrow = await shiftedClock('+25h');
      await Promise.all(scene.apps.map((app) => app.stop()));
      await scene.database.stop();
      await scene.database.start({ env: tomorrow });
      await Promise.all(scene.apps.map((app) => app.start(tomorrow)));
      return calmed(scene);
    },
  },
];
