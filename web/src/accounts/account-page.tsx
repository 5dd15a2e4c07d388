import { $api, api, type Schema } from '../api/client.js';
import { AccountSessions } from '../account/sessions.js';
import { useMe } from '../app/session.js';
import { Button, confirm, LoadState, Page, StatusBadge, Tabs, useParam } from '../ui/index.js';
import { ApiKeys } from './api-keys.js';
import { ChatAccounts } from './chat-accounts.js';
import { AccountGuard } from './guard.js';
import { Credits } from './credits.js';
import { Invite, LinkButton } from './invitations.js';
import { Overview } from './overview.js';
import { People } from './people.js';
import { useChange } from './refresh.js';
import { isClosedByStaff, isStaffKind } from './staff-rights.js';
import { StopList } from './stop-list.js';
import { Usage } from './usage.js';
import { AccountWebhooks } from './webhooks-page.js';

type Account = Schema<'ManagedAccountAnswer'>;

/** One account with everything that its managers see and change; resellers see their own clients. */
export default function AccountPage() {
  const username = useParam('username');
  const query = $api.useQuery('get', '/v6/api/admin/accounts/{username}', { params: { path: { username } } });
  const isStaff = useMe().pages === 'staff';
  return (
    <LoadState query={query}>
      {({ data: account }) => (
        <Page
          title={account.username}
          about={
            <>
              <StatusBadge status={account.is_active ? 'open' : 'closed'} tone={account.is_active ? 'good' : 'bad'} />{' '}
              {account.name}, {account.user_type ?? 'client'}
              {account.parent_username !== null && ` of ${account.parent_username}`}
            </>
          }
          actions={
            <>
              <LinkButton whose={username} person={null} />
              <OpenOrClose account={account} />
            </>
          }
        >
          <Tabs
            label="Parts of the account"
            tabs={[
              { name: 'overview', label: 'Account', content: () => <Overview account={account} isStaff={isStaff} /> },
              { name: 'credits', label: 'Credits', content: () => <Credits username={username} /> },
              ...(isStaff ? [{ name: 'usage', label: 'Usage', content: () => <Usage whose={username} /> }] : []),
              { name: 'guard', label: 'Guard', content: () => <AccountGuard username={username} isStaff={isStaff} /> },
              { name: 'keys', label: 'API keys', content: () => <ApiKeys whose={username} /> },
              { name: 'people', label: 'People', content: () => <PeopleOf username={username} /> },
              { name: 'sessions', label: 'Sessions', content: () => <AccountSessions username={username} /> },
              { name: 'stop-list', label: 'Stop list', content: () => <StopList whose={username} /> },
              ...(isStaff
                ? [
                    { name: 'webhooks', label: 'Webhooks', content: () => <AccountWebhooks username={username} /> },
                    { name: 'chat', label: 'Chat accounts', content: () => <ChatAccounts username={username} /> },
                  ]
                : []),
            ]}
          />
        </Page>
      )}
    </LoadState>
  );
}

const PeopleOf = ({ username }: { username: string }) => (
  <>
    <div className="buttons">
      <Invite whose={username} />
    </div>
    <People whose={username} />
  </>
);

function OpenOrClose({ account }: { account: Account }) {
  const { username, is_active: isOpen, user_type: kind } = account;
  const isStaff = useMe().pages === 'staff';
  const change = useChange();
  // an account of staff is changed with a password, which the form of the account asks for
  if (isStaffKind(kind)) return null;
  if (!isStaff && isClosedByStaff(account)) return <p className="hint">Closed by staff. Only staff can reopen it.</p>;
  const set = async (is_active: boolean) => {
    if (!is_active) {
      const isSure = await confirm({
        title: `Close ${username}?`,
        text: 'Its logins and keys, and those of its people, stop working within 3 seconds. Its campaigns pause.',
        yes: 'Close the account',
      });
      if (!isSure) return;
    }
    await change(
      () => api.PATCH('/v6/api/admin/accounts/{username}', { params: { path: { username } }, body: { is_active } }),
      is_active ? `${username} is open again` : `${username} is closed`,
    );
  };
  return isOpen ? (
    <Button needs="manage" kind="danger" onClick={() => void set(false)}>
      Close the account
    </Button>
  ) : (
    <Button needs="manage" kind="primary" onClick={() => void set(true)}>
      Open the account
    </Button>
  );
}
