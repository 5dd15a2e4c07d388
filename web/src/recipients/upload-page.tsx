import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api, download, type Schema } from '../api/client.js';
import { SENDS } from '../app/page-definition.js';
import {
  Button,
  type Column,
  confirm,
  Count,
  DataTable,
  Facts,
  Link,
  LoadState,
  notify,
  notifyFault,
  Page,
  Section,
  Time,
  useParam,
  formatCount,
  MadeBy,
} from '../ui/index.js';

const valuesOf = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

const SAMPLE: readonly Column<Schema<'UploadSampleData'>>[] = [
  { name: 'row', title: 'Row', cell: ({ row }) => row },
  { name: 'to', title: 'Number', cell: ({ to }) => to },
  { name: 'values', title: 'Values', cell: ({ variables }) => valuesOf(variables), wide: true },
];
const LEFT_OUT: readonly Column<Schema<'RowFaultData'>>[] = [
  { name: 'row', title: 'Row', cell: ({ row }) => row },
  { name: 'value', title: 'Value', cell: ({ value }) => value },
  { name: 'reason', title: 'Reason', cell: ({ message }) => message, wide: true },
];

const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'Text in UTF-8',
  'utf-16le': 'Text in UTF-16',
  'utf-16be': 'Text in UTF-16',
  'windows-1252': 'Text in Windows-1252, because it is not UTF-8. Check that the letters are right.',
};

const readAs = ({ encoding, sheet }: Schema<'UploadData'>): string =>
  encoding === null ? `Sheet “${sheet ?? ''}” of a spreadsheet` : (ENCODINGS[encoding] ?? encoding);

const complete = <Row,>(data: readonly Row[]) => ({
  data,
  error: null,
  isFetching: false,
  refetch: () => undefined,
});

/** What a file holds: how it was read, and what was left out. */
export default function UploadPage() {
  const id = Number(useParam('id'));
  const navigate = useNavigate();
  const client = useQueryClient();
  const query = $api.useQuery('get', '/v6/api/uploads/{id}', { params: { path: { id } } });
  const remove = async () => {
    if (!(await confirm({ title: 'Delete this file?', text: 'Campaigns sent to it stay.', yes: 'Delete it' }))) return;
    try {
      await api.DELETE('/v6/api/uploads/{id}', { params: { path: { id } } });
      await navigate({ to: '/uploads' });
      void client.invalidateQueries();
      notify('Deleted');
    } catch (error) {
      notifyFault(error);
    }
  };
  return (
    <Page
      title={query.data?.data.file_name ?? `File no. ${String(id)}`}
      actions={
        <>
          <Link needs={SENDS} to="/send" search={{ channel: 'sms', upload_id: String(id) }} className="button primary">
            Send to it
          </Link>
          <Button needs={SENDS} kind="danger" onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <LoadState query={query}>
        {({ data }) => (
          <>
            <Section title="File details">
              <Facts
                facts={[
                  ['File', `No. ${String(data.upload_id)}`],
                  ['Read as', readAs(data)],
                  ['Rows', <Count key="rows" value={data.rows} />],
                  ['Number in', data.number_column],
                  ['Columns', data.columns.join(', ')],
                  ['Skipped', <Count key="invalid" value={data.invalid_count} />],
                  ['Duplicates', <Count key="again" value={data.duplicates_count} />],
                  ['Created by', <MadeBy key="maker" maker={data.created_by} />],
                  ['Uploaded', <Time key="at" value={data.created_at} />],
                  ['Kept until', <Time key="until" value={data.expires_at} />],
                ]}
              />
            </Section>
            <Section title="The first rows">
              <DataTable
                label="The first rows"
                columns={SAMPLE}
                query={complete(data.sample)}
                rowKey={({ row }) => row}
                empty={{ title: 'No rows' }}
              />
            </Section>
            {data.invalid.length > 0 && (
              <Section title="Skipped">
                {data.invalid_count > data.invalid.length && (
                  <p className="counter">The first {formatCount(data.invalid.length)} are shown.</p>
                )}
                <div className="buttons">
                  <Button
                    needs={SENDS}
                    onClick={() =>
                      void download(`/v6/api/uploads/${String(id)}/skipped.csv`, `left-out-${String(id)}.csv`).catch(
                        notifyFault,
                      )
                    }
                  >
                    Download all skipped rows
                  </Button>
                </div>
                <DataTable
                  label="Skipped"
                  columns={LEFT_OUT}
                  query={complete(data.invalid)}
                  rowKey={({ row }) => row}
                  empty={{ title: 'No rows skipped' }}
                />
              </Section>
            )}
          </>
        )}
      </LoadState>
    </Page>
  );
}
