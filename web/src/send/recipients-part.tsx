import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import { FILES, saveUpload } from '../recipients/save-upload.js';
import {
  Button,
  CheckField,
  FileField,
  formatCount,
  Link,
  LoadState,
  RadioField,
  Section,
  SelectField,
  TextArea,
  TextField,
} from '../ui/index.js';
import { type Draft, numbersOf, placeholdersIn } from './draft.js';
import type { PartProperties } from './write-part.js';

/** Who gets it: pasted numbers, a file, or a list. */
export function RecipientsPart({ channel, draft, set }: PartProperties) {
  const isPasted = channel === 'voice' || draft.source === 'paste';
  return (
    <Section title="2. Recipients">
      {channel !== 'voice' && (
        <RadioField
          label="From"
          name="source"
          options={[
            ['paste', 'Pasted numbers'],
            ['upload', 'A file'],
            ['list', 'A saved list'],
          ]}
          value={draft.source}
          onChange={(event) => set({ source: event.currentTarget.value as Draft['source'] })}
        />
      )}
      {isPasted && (
        <>
          <TextArea
            label="Numbers"
            rows={5}
            hint="One per line, or separated by commas. With + and country code or in national format."
            value={draft.pasted}
            onChange={(event) => set({ pasted: event.currentTarget.value })}
          />
          <p className="counter" role="status">
            {formatCount(numbersOf(draft.pasted).length)} numbers
          </p>
        </>
      )}
      {!isPasted && draft.source === 'upload' && <UploadChoice channel={channel} draft={draft} set={set} />}
      {!isPasted && draft.source === 'list' && <ListChoice channel={channel} draft={draft} set={set} />}
      {channel !== 'voice' && (
        <>
          <CheckField
            label="Remove duplicates"
            hint="One message per number, even if it is written in two ways."
            checked={draft.removeDuplicates}
            onChange={(event) => set({ removeDuplicates: event.currentTarget.checked })}
          />
          <CheckField
            label="Skip invalid rows"
            hint="Otherwise one invalid row blocks the whole send."
            checked={draft.skipInvalid}
            onChange={(event) => set({ skipInvalid: event.currentTarget.checked })}
          />
        </>
      )}
    </Section>
  );
}

function UploadChoice({ channel, draft, set }: PartProperties) {
  const uploads = $api.useQuery('get', '/v6/api/uploads', { params: { query: { limit: 100 } } as never });
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [column, setColumn] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    if (file === null) return;
    setBusy(true);
    setFault(null);
    try {
      const { upload_id: id } = await saveUpload(file, column);
      await client.invalidateQueries();
      set({ uploadId: String(id), columns: {} });
    } catch (error) {
      setFault(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <LoadState query={uploads}>
      {({ data }) => {
        const chosen = data.find(({ upload_id: id }) => String(id) === draft.uploadId);
        return (
          <>
            <SelectField
              label="File"
              options={[
                ['', 'Choose…'],
                ...data.map(
                  ({ upload_id: id, file_name: name, rows, created_at: at }) =>
                    [String(id), `${name ?? `No. ${String(id)}`}: ${formatCount(rows)} rows, ${at}`] as const,
                ),
              ]}
              value={draft.uploadId}
              onChange={(event) => set({ uploadId: event.currentTarget.value, columns: {} })}
            />
            {chosen !== undefined && (
              <p className="counter">
                {formatCount(chosen.rows)} rows; number in “{chosen.number_column}”; columns for the text:{' '}
                {chosen.columns.filter((name) => name !== chosen.number_column).join(', ') || 'none'}
                {chosen.invalid_count > 0 && `; ${formatCount(chosen.invalid_count)} rows skipped`}
              </p>
            )}
            {chosen !== undefined && <Columns channel={channel} draft={draft} set={set} columns={chosen.columns} />}
            <div className="pair">
              <FileField label="Or upload a spreadsheet (.xlsx) or CSV file" accept={FILES} onFile={setFile} />
              <TextField
                label="Phone number column"
                hint="Needed only if it is not called phone, mobile or similar."
                value={column}
                onChange={(event) => setColumn(event.currentTarget.value)}
              />
            </div>
            {fault !== null && (
              <p className="fault" role="alert">
                {fault}
              </p>
            )}
            <div className="buttons">
              <Button off={file === null} busy={isBusy} onClick={() => void save()}>
                Upload
              </Button>
            </div>
          </>
        );
      }}
    </LoadState>
  );
}

/** Which column of the file fills each placeholder; one of the same name does by itself. */
function Columns({ channel, draft, set, columns }: PartProperties & { columns: readonly string[] }) {
  const names = placeholdersIn(channel, draft);
  if (names.length === 0) return null;
  return (
    <div className="pair" role="group" aria-label="Columns of the values">
      {names.map((name) => (
        <SelectField
          key={name}
          label={`{{${name}}} is filled from`}
          options={[
            ...(columns.includes(name) ? [] : [['', 'No column: its default'] as const]),
            ...columns.map((column) => [column, column] as const),
          ]}
          value={draft.columns[name] ?? (columns.includes(name) ? name : '')}
          onChange={(event) => set({ columns: { ...draft.columns, [name]: event.currentTarget.value } })}
        />
      ))}
    </div>
  );
}

function ListChoice({ draft, set }: PartProperties) {
  const lists = $api.useQuery('get', '/v6/api/lists', { params: { query: { limit: 1000 } } as never });
  return (
    <LoadState query={lists}>
      {({ data }) => (
        <SelectField
          label="List"
          hint={
            data.length === 0 ? (
              <Link to="/lists">Create a list first</Link>
            ) : (
              'A list cannot change after it was sent to.'
            )
          }
          options={[
            ['', 'Choose…'],
            ...data.map(
              ({ list_id: id, name, members }) => [String(id), `${name}: ${formatCount(members)} members`] as const,
            ),
          ]}
          value={draft.listId}
          onChange={(event) => set({ listId: event.currentTarget.value })}
        />
      )}
    </LoadState>
  );
}
