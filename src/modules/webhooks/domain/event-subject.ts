/**
 * What an event is about: a recipient, a template, a campaign. Events of one subject are delivered one after the other;
 * those of different subjects side by side. An inbound message is its own subject: it has a timestamp and changes nothing
 * reported before, and a contact that writes thousands of them must not hold up the rest.
 * @param body an event as it goes out (reference/webhooks#types)
 */
export function subjectOf(body: string): string {
  const event = JSON.parse(body) as Record<string, unknown>;
  const { event: type, providerMessageId, receiver, from, id, template_id, request_id } = event;
  return JSON.stringify([type, providerMessageId, receiver, from, id, template_id, request_id]);
}
