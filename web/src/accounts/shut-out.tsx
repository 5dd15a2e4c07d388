import { $api, type Schema } from '../api/client.js';
import { CheckField, type useServerForm } from '../ui/index.js';
import { MadeList, REVOKE_MADE } from './removal.js';
import type { Whose } from './whose.js';

/** Fields of a form that sets a password: what ends with the old one. */
export interface ShutOut {
  revoke_api_keys: boolean;
  revoke_users: boolean;
  revoke_created: boolean;
}

export const NOBODY: ShutOut = { revoke_api_keys: false, revoke_users: false, revoke_created: false };

/** Whether keys and people end with the old password, and what they made. */
export function ShutOutFields<Values extends ShutOut>({
  whose,
  form: given,
}: {
  whose: Whose;
  form: ReturnType<typeof useServerForm<Values>>;
}) {
  // these fields are the same in every such form
  const form = given as unknown as ReturnType<typeof useServerForm<ShutOut>>;
  const { revoke_api_keys: keys, revoke_users: people } = form.watch();
  const made = useMade(whose, keys || people);
  const ending = unique([...(keys ? (made?.api_keys ?? []) : []), ...(people ? (made?.users ?? []) : [])]);
  return (
    <>
      <CheckField
        label={whose === null ? 'Revoke all API keys too' : 'Revoke its API keys too'}
        {...form.register('revoke_api_keys')}
      />
      <CheckField
        label={whose === null ? 'Close the logins of all people too' : 'Close the logins of its people too'}
        {...form.register('revoke_users')}
      />
      {ending.length > 0 && (
        <>
          <p>What people created ends with their logins. What keys created keeps working:</p>
          <MadeList made={ending} />
          <CheckField {...REVOKE_MADE} label="Revoke what they created" {...form.register('revoke_created')} />
        </>
      )}
    </>
  );
}

function useMade(whose: Whose, isAsked: boolean): Schema<'AllMadeThings'> | undefined {
  const own = $api.useQuery('get', '/v6/api/account/created', {}, { enabled: isAsked && whose === null });
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/created',
    { params: { path: { username: whose ?? '' } } },
    { enabled: isAsked && whose !== null },
  );
  return (whose === null ? own : theirs).data?.data;
}

const unique = (made: readonly Schema<'MadeThingData'>[]): Schema<'MadeThingData'>[] => [
  ...new Map(
    made.filter(({ is_active }) => is_active).map((thing) => [`${thing.kind} ${String(thing.id)}`, thing]),
  ).values(),
];
