import { $api, LIVE, type Schema } from '../api/client.js';
import { type Column, DataTable, Link, listQuery, Page, StatusBadge, Time, useAddress } from '../ui/index.js';
import { CATEGORY_OF, languageOf, STATUS_OF } from './template-words.js';

type Row = Schema<'OwnTemplateAnswer'>;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'name', title: 'Name', cell: (row) => row.template_name },
  {
    name: 'status',
    title: 'Status',
    cell: ({ status }) => <StatusBadge status={STATUS_OF[status] ?? String(status)} />,
  },
  { name: 'category', title: 'Category', cell: ({ category }) => CATEGORY_OF[category] ?? category },
  { name: 'language', title: 'Language', cell: languageOf },
  { name: 'body', title: 'Text', cell: (row) => row.reason ?? row.template_body.slice(0, 120), wide: true },
  { name: 'created', title: 'Created', cell: ({ created_at: at }) => <Time value={at} /> },
];

/** An account's templates. */
export default function TemplatesPage() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/templates', { params: { query: listQuery(address) } as never }, LIVE);
  return (
    <Page
      title="Templates"
      about="Message texts that need approval before you send them."
      actions={
        <Link needs="manage" to="/templates/new" className="button primary">
          New template
        </Link>
      }
    >
      <DataTable
        label="Templates"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/templates/${String(id)}`}
        empty={{ title: 'No templates yet', text: 'A template is reviewed once and then sent to many.' }}
      />
    </Page>
  );
}
