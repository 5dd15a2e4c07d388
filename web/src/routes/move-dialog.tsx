import { useQueryClient } from '@tanstack/react-query';
import { $api, api, type Schema } from '../api/client.js';
import {
  Button,
  Dialog,
  Form,
  formatCount,
  LoadState,
  notify,
  SelectField,
  TextField,
  useServerForm,
} from '../ui/index.js';

interface Values {
  to_route: string;
  request_id: string;
}

/** Moves what waits to another route of the channel. */
export function MoveDialog({ status, onClose }: { status: Schema<'RouteStatusData'>; onClose: () => void }) {
  const { name, channel, waiting, waiting_later: later } = status;
  const routes = $api.useQuery('get', '/v6/api/admin/routes/status', { params: { query: { limit: 1000 } } });
  const queries = useQueryClient();
  const form = useServerForm<Values>({ to_route: '', request_id: '' });
  const move = async ({ to_route, request_id }: Values) => {
    const { data } = await api.POST('/v6/api/admin/routes/{name}/move', {
      params: { path: { name } },
      body: { to_route, request_id: request_id === '' ? null : request_id },
    });
    const moved = data?.data;
    const rest =
      moved === undefined || moved.left_lanes === 0 ? '' : '; some are still being sent, move again in a moment';
    notify(`${formatCount(moved?.moved_recipients ?? 0)} recipients moved to ${to_route}${rest}`);
    await queries.invalidateQueries();
    onClose();
  };
  return (
    <Dialog title={`Move waiting messages from ${name}`} onClose={onClose}>
      <p className="dialog-text">
        {formatCount(waiting)} recipients are due, {formatCount(later)} later. Messages that were possibly sent stay
        here. Prices do not change.
      </p>
      <LoadState query={routes}>
        {({ data }) => (
          <Form
            form={form}
            onSubmit={move}
            submitLabel="Move"
            danger
            actions={
              <Button data-first onClick={onClose}>
                Back
              </Button>
            }
          >
            <SelectField
              label="To route"
              error={form.errorOf('to_route')}
              {...form.register('to_route', { required: true })}
              options={[
                ['', 'Choose one'],
                ...data
                  .filter((route) => route.channel === channel && route.name !== name && route.state !== 'stopped')
                  .map((route) => [route.name, `${route.name} (${route.state})`] as const),
              ]}
            />
            <TextField
              label="Request id"
              hint="Leave empty for all campaigns"
              error={form.errorOf('request_id')}
              {...form.register('request_id')}
            />
          </Form>
        )}
      </LoadState>
    </Dialog>
  );
}
