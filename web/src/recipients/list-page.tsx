import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api, type Schema } from '../api/client.js';
import { SENDS } from '../app/page-definition.js';
import {
  Button,
  type Column,
  confirm,
  Count,
  DataTable,
  Facts,
  Filters,
  Form,
  Link,
  listQuery,
  LoadState,
  notify,
  notifyFault,
  Page,
  Section,
  TextArea,
  TextField,
  Time,
  useAddress,
  useParam,
  useServerForm,
  MadeBy,
} from '../ui/index.js';

type Member = Schema<'MemberData'>;
type List = Schema<'ListData'>;

/** One list with its members. */
export default function ListPage() {
  const id = Number(useParam('id'));
  const query = $api.useQuery('get', '/v6/api/lists/{id}', { params: { path: { id } } });
  return <LoadState query={query}>{({ data }) => <Shown list={data} />}</LoadState>;
}

function Shown({ list }: { list: List }) {
  const { list_id: id, name, frozen } = list;
  const navigate = useNavigate();
  const client = useQueryClient();
  const done = async (text: string) => {
    await client.invalidateQueries();
    notify(text);
  };
  const copy = async () => {
    try {
      const { data } = await api.POST('/v6/api/lists', {
        body: { name: `${name} (copy)`.slice(0, 100), from_list_id: id },
      });
      await done('Copied');
      await navigate({ to: `/lists/${String(data?.data.list_id ?? '')}` });
    } catch (error) {
      notifyFault(error);
    }
  };
  const remove = async () => {
    if (
      !(await confirm({ title: 'Delete this list?', text: `${name} and its members are deleted.`, yes: 'Delete it' }))
    ) {
      return;
    }
    try {
      await api.DELETE('/v6/api/lists/{id}', { params: { path: { id } } });
      await navigate({ to: '/lists' });
      await done('Deleted');
    } catch (error) {
      notifyFault(error);
    }
  };
  return (
    <Page
      title={name}
      about={frozen ? 'Already sent to, so it can no longer change. Change a copy instead.' : 'Members can be added.'}
      actions={
        <>
          <Link needs={SENDS} to="/send" search={{ channel: 'sms', list_id: String(id) }} className="button primary">
            Send to it
          </Link>
          <Button needs="manage" onClick={() => void copy()}>
            Copy
          </Button>
          <Button needs="manage" kind="danger" onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <Section title="List">
        <Facts
          facts={[
            ['Members', <Count key="members" value={list.members} />],
            ['Created by', <MadeBy key="maker" maker={list.created_by} />],
            ['Created', <Time key="at" value={list.created_at} />],
            ['Frozen', list.frozen_at === null ? null : <Time key="frozen" value={list.frozen_at} />],
          ]}
        />
        <Rename key={name} list={list} onDone={() => done('Renamed')} />
      </Section>
      {!frozen && <AddMembers id={id} onDone={done} />}
      <Members list={list} onDone={done} />
    </Page>
  );
}

function Rename({ list, onDone }: { list: List; onDone: () => Promise<void> }) {
  const form = useServerForm<{ name: string }>({ name: list.name });
  const rename = async ({ name }: { name: string }) => {
    await api.PATCH('/v6/api/lists/{id}', { params: { path: { id: list.list_id } }, body: { name } });
    await onDone();
  };
  return (
    <Form needs="manage" form={form} onSubmit={rename} submitLabel="Rename">
      <TextField
        label="Name"
        maxLength={100}
        error={form.errorOf('name')}
        {...form.register('name', { required: true })}
      />
    </Form>
  );
}

interface Values {
  numbers: string;
  upload: string;
}

function AddMembers({ id, onDone }: { id: number; onDone: (text: string) => Promise<void> }) {
  const form = useServerForm<Values>({ numbers: '', upload: '' });
  const add = async ({ numbers, upload }: Values) => {
    const members = numbers
      .split(/[\n,;]+/)
      .map((to) => ({ to: to.trim() }))
      .filter(({ to }) => to !== '');
    const body = upload.trim() === '' ? { members } : { upload_id: Number(upload.replace(/\D/g, '')) };
    const { data } = await api.POST('/v6/api/lists/{list_id}/members', {
      params: { path: { list_id: id } },
      body,
    });
    form.reset();
    const added = data?.data;
    await onDone(`${String(added?.added ?? 0)} added, ${String(added?.duplicates_count ?? 0)} were there`);
  };
  return (
    <Section title="Add members">
      <Form needs="manage" form={form} onSubmit={add} submitLabel="Add">
        <TextArea
          label="Numbers"
          hint="One per line, or separated by commas."
          error={form.errorOf('numbers')}
          {...form.register('numbers')}
        />
        <TextField
          label="Or add a file by its number"
          hint={<Link to="/uploads">Files of recipients</Link>}
          error={form.errorOf('upload')}
          {...form.register('upload')}
        />
      </Form>
    </Section>
  );
}

function Members({ list: { list_id: id, frozen }, onDone }: { list: List; onDone: (text: string) => Promise<void> }) {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/lists/{list_id}/members', {
    params: { path: { list_id: id }, query: listQuery(address, 'number') } as never,
  });
  const remove = async (number: string) => {
    try {
      await api.DELETE('/v6/api/lists/{list_id}/members/{number}', { params: { path: { list_id: id, number } } });
      await onDone('Removed');
    } catch (error) {
      notifyFault(error);
    }
  };
  const columns: readonly Column<Member>[] = [
    { name: 'to', title: 'Number', cell: ({ to }) => to },
    {
      name: 'values',
      title: 'Values',
      wide: true,
      cell: ({ variables }) =>
        Object.entries(variables)
          .map(([name, value]) => `${name}: ${value}`)
          .join(', ') || '–',
    },
    ...(frozen
      ? []
      : [
          {
            name: 'remove',
            title: 'Remove',
            cell: ({ to }: Member) => (
              <Button needs="manage" aria-label={`Remove ${to}`} onClick={() => void remove(to)}>
                Remove
              </Button>
            ),
          },
        ]),
  ];
  return (
    <>
      <Filters filters={[{ name: 'number', label: 'Number begins with', kind: 'search' }]} />
      <DataTable
        label="Members"
        columns={columns}
        query={query}
        rowKey={({ to }) => to}
        empty={{ title: 'No members found' }}
      />
    </>
  );
}
