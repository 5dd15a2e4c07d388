import { api, type Schema } from '../api/client.js';

/** Kinds of files that are taken. */
export const FILES = '.xlsx,.csv,.txt,.tsv,text/csv';

/** Saves a file of recipients. @param column that of the number; '' = found by its name */
export async function saveUpload(file: File, column: string): Promise<Schema<'UploadData'>> {
  const { data } = await api.POST('/v6/api/uploads', {
    params: { query: column.trim() === '' ? {} : { number_column: column.trim() } },
    body: file,
    bodySerializer: (body: unknown) => {
      const form = new FormData();
      form.append('file', body as File);
      return form;
    },
  } as never);
  return (data as unknown as { data: Schema<'UploadData'> }).data;
}
