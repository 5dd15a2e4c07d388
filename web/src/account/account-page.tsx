import { useMay, useMe } from '../app/session.js';
import { NumbersSection } from './numbers-form.js';
import { TimeZoneSection } from './time-zone.js';
import { CopyText, Facts, Page, Section } from '../ui/index.js';

/** Who is logged in, and what the account may do. */
export default function AccountPage() {
  const { username, name, user_type, person, parent_username, time_zone, permissions } = useMe();
  const may = useMay('account');
  const granted = Object.entries(permissions)
    .filter(([, isGranted]) => isGranted)
    .map(([permission]) => permission.replaceAll('_', ' '));
  return (
    <Page title="This account" about="Who is logged in, and what the account may do.">
      <Section title="Account">
        <Facts
          facts={[
            ['Username', <CopyText key="username" text={username} label="the username" />],
            ['Name', name === '' ? null : name],
            ['Kind', user_type ?? 'client'],
            ['Person', person === null ? null : `${person.name || person.username} (${person.username})`],
            ['Reseller', parent_username],
            ['Time zone', time_zone],
            ['Permissions', granted.length === 0 ? 'none' : granted.join(', ')],
          ]}
        />
      </Section>
      {may && <TimeZoneSection key={time_zone} />}
      <NumbersSection />
    </Page>
  );
}
