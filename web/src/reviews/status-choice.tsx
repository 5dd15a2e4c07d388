import { SelectField, useAddress } from '../ui/index.js';

/** Which are shown; what waits comes first. */
export function StatusChoice({ statuses }: { statuses: readonly string[] }) {
  const [address, change] = useAddress();
  return (
    <search className="filters">
      <SelectField
        label="Status"
        options={[...statuses.map((status) => [status, status] as const), ['all', 'all']]}
        value={address['status'] ?? 'pending'}
        onChange={(event) => change({ status: event.currentTarget.value, cursor: undefined })}
      />
    </search>
  );
}

/** The list's query of a choice: `pending` unless another one was made. */
export const statusQuery = (status: string | undefined): { status?: string } =>
  status === 'all' ? {} : { status: status ?? 'pending' };
