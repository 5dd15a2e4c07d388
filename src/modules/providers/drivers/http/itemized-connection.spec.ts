import { expect, it } from 'vitest';
import type { RouteConnection, SendOutcome } from '../../message-driver.js';
import { ItemizedConnection } from './itemized-connection.js';

const answering = (...outcomes: SendOutcome[]): RouteConnection => ({
  ready: true,
  fault: null,
  send: () => Promise.resolve(outcomes.shift() ?? { kind: 'unknown' }),
  close: () => Promise.resolve(),
});
const message = { ref: '1-1', to: '4915', text: 'hello', attachments: ['odd'], notAfter: Infinity };
const accepted: SendOutcome = { kind: 'accepted', providerMessageIds: ['a'] };
const refused: SendOutcome = { kind: 'rejected', code: null, text: 'no such address', submitted: false };

it('a message of which an item was taken has left, whatever keeps the others back', async () => {
  const outcome = await new ItemizedConnection(answering(accepted, refused), 1_000).send(message);
  expect(outcome).toEqual({ ...refused, submitted: true, taken: 1 });
});

it('a message whose first item cannot leave has not left', async () => {
  expect(await new ItemizedConnection(answering(refused), 1_000).send(message)).toEqual(refused);
});
