/**
 * Whom or what an event tells of: a recipient, a template, a campaign. Its events are delivered one after the other; those
 * of different subjects side by side. A message that came in is its own subject: it has a timestamp and changes nothing
 * told before, and somebody who writes thousands of them must not hold up the rest.
 * @param body an event as it goes out (reference/webhooks#types)
 */
export function subjectOf(body: string): string {
  const event = JSON.parse(body) as Record<string, unknown>;
  const { event: type, providerMessageId, receiver, from, id, template_id, request_id } = event;
  return JSON.stringify([type, providerMessageId, receiver, from, id, template_id, request_id]);
}
