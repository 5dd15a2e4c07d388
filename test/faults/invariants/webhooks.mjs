const CHAT = { 2: 'DELIVERED', 3: 'READ', 4: 'FAILED', 5: 'CANCELLED' };
const LABELS = {
  sms: { 2: 'DELIVERED', 4: 'FAILED', 5: 'CANCELLED' },
  voice: { 4: 'FAILED', 5: 'CANCELLED', 6: 'ANSWERED', 7: 'NO_ANSWER', 8: 'BUSY' },
};
const labelOf = ({ campaign, status }) => (LABELS[campaign.channel] ?? CHAT)[status];
const FINAL = new Set(['DELIVERED', 'READ', 'FAILED', 'CANCELLED', 'ANSWERED', 'NO_ANSWER', 'BUSY']);

/**
 * I6: each final status was seen by the customer's server, under one id, and no status under two. I5: no second
 * final status was told, but READ beside DELIVERED. (SENT may come last: a try that failed holds nothing up.)
 */
export function* webhooks({ recipients }, customers) {
  const seen = new Map();
  const meant = new Map();
  for (const { name, seen: deliveries } of Object.values(customers)) {
    for (const { id, body } of deliveries) {
      const { providerMessageId: requestId, receiver: number, status } = body;
      const what = `${name} ${requestId} ${number ?? ''} ${status ?? body.event}`;
      if (meant.has(id) && meant.get(id) !== what)
        yield { invariant: 'I6', text: `id ${id} is ${what} and ${meant.get(id)}` };
      meant.set(id, what);
      if (number === undefined) continue;
      const key = `${requestId} ${number}`;
      if (!seen.has(key)) seen.set(key, new Map());
      const ids = seen.get(key);
      const other = [...ids].find(([known, told]) => told === status && known !== id);
      if (other) yield { invariant: 'I6', requestId, number, text: `${status} was told as ${other[0]} and as ${id}` };
      ids.set(id, status);
    }
  }
  for (const recipient of recipients) {
    const { requestId } = recipient.campaign;
    const told = seen.get(`${requestId} ${recipient.number}`) ?? new Map();
    const label = labelOf(recipient);
    if (label && ![...told.values()].includes(label)) {
      yield {
        invariant: 'I6',
        requestId,
        number: recipient.number,
        text: `${label} was not told (told: ${[...told.values()].join(', ')})`,
      };
    }
    const ends = [...new Set(told.values())].filter((status) => FINAL.has(status)).sort();
    const isAllowed = ends.length < 2 || ends.join() === 'DELIVERED,READ';
    if (!isAllowed)
      yield { invariant: 'I5', requestId, number: recipient.number, text: `told ${[...told.values()].join(', ')}` };
  }
}
