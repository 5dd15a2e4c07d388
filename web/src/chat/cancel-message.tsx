import { api, type Schema } from '../api/client.js';
import { act, Button, confirm } from '../ui/index.js';

type Message = Pick<Schema<'SessionMessageData'>, 'id' | 'to' | 'recipient' | 'status' | 'sent_at'>;

/** Cancels a message that has not left; nothing where it has. */
export function CancelMessage({ message: { id, to, recipient, status, sent_at: sentAt } }: { message: Message }) {
  if (status !== 'PENDING' || sentAt !== null) return null;
  const receiver = to ?? recipient ?? '';
  const cancel = () =>
    act({
      ask: () => confirm({ title: 'Cancel this message?', text: `To ${receiver}`, yes: 'Cancel it' }),
      call: () => api.DELETE('/v6/api/session-messages/{id}', { params: { path: { id } } }),
      done: 'Cancelled',
    });
  return (
    <Button needs="send:chat" aria-label={`Cancel the message to ${receiver}`} onClick={() => void cancel()}>
      Cancel
    </Button>
  );
}
