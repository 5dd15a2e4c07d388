import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api } from '../api/client.js';
import { Button, confirm, LoadState, notify, notifyFault, Page, Section, useParam } from '../ui/index.js';
import { TableForm } from './table-form.js';
import './routes.css';

/** One routing table and its rules. */
export default function TablePage() {
  const name = useParam('name');
  const params = { path: { name } };
  const query = $api.useQuery('get', '/v6/api/admin/routing/{name}', { params });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const text = 'Its numbers then follow other tables or the default route.';
    if (!(await confirm({ title: `Remove ${name}?`, text, yes: 'Remove the table' }))) return;
    try {
      await api.DELETE('/v6/api/admin/routing/{name}', { params });
      notify(`${name} is removed`);
      await navigate({ to: '/routing' });
      await queries.invalidateQueries();
    } catch (error) {
      notifyFault(error);
    }
  };
  return (
    <Page
      title={name}
      about={query.data === undefined ? undefined : `Rules for ${query.data.data.channel}`}
      actions={
        <Button needs="manage" kind="danger" onClick={() => void remove()}>
          Remove
        </Button>
      }
    >
      <LoadState query={query}>
        {({ data }) => (
          <Section title="Rules">
            <TableForm key={data.updated_at} table={data} />
          </Section>
        )}
      </LoadState>
    </Page>
  );
}
