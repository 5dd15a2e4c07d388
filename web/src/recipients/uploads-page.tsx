import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, type Schema } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import { SENDS } from '../app/page-definition.js';
import {
  Button,
  type Column,
  Count,
  DataTable,
  FileField,
  listQuery,
  Page,
  Section,
  TextField,
  Time,
  useAddress,
  MadeBy,
} from '../ui/index.js';
import { FILES, saveUpload } from './save-upload.js';

const COLUMNS: readonly Column<Schema<'UploadSummary'>>[] = [
  { name: 'id', title: 'File', cell: (row) => row.file_name ?? `No. ${String(row.upload_id)}` },
  { name: 'rows', title: 'Rows', align: 'end', cell: (row) => <Count value={row.rows} /> },
  { name: 'invalid', title: 'Skipped', align: 'end', cell: (row) => <Count value={row.invalid_count} /> },
  { name: 'columns', title: 'Columns', cell: (row) => row.columns.join(', '), wide: true },
  { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
  { name: 'created', title: 'Uploaded', cell: (row) => <Time value={row.created_at} /> },
  { name: 'expires', title: 'Kept until', cell: (row) => <Time value={row.expires_at} /> },
];

/** Files of recipients with their values. */
export default function UploadsPage() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/uploads', { params: { query: listQuery(address) } as never });
  return (
    <Page
      title="Files of recipients"
      about="Spreadsheets and CSV files with numbers and personal values, kept for seven days."
    >
      <Section title="Upload a file">
        <UploadForm />
      </Section>
      <DataTable
        label="Files of recipients"
        columns={COLUMNS}
        query={query}
        rowKey={(row) => row.upload_id}
        rowTo={(row) => `/uploads/${String(row.upload_id)}`}
        empty={{ title: 'No files yet' }}
      />
    </Page>
  );
}

function UploadForm() {
  const [file, setFile] = useState<File | null>(null);
  const [column, setColumn] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  const save = async () => {
    if (file === null) return;
    setBusy(true);
    setFault(null);
    try {
      const { upload_id: id } = await saveUpload(file, column);
      void client.invalidateQueries();
      await navigate({ to: `/uploads/${String(id)}` });
    } catch (error) {
      setFault(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="form">
      <FileField
        label="Spreadsheet (.xlsx) or CSV file"
        accept={FILES}
        hint="The first row names the columns, then one recipient per row. Other columns fill placeholders in the text."
        onFile={setFile}
      />
      <TextField
        label="Phone number column"
        hint="Needed only if it is not called phone, mobile or similar."
        value={column}
        onChange={(event) => setColumn(event.currentTarget.value)}
      />
      <div role="alert">{fault !== null && <p className="fault">{fault}</p>}</div>
      <div className="buttons">
        <Button needs={SENDS} kind="primary" off={file === null} busy={isBusy} onClick={() => void save()}>
          Upload
        </Button>
      </div>
    </div>
  );
}
