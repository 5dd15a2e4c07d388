import { Page, Section } from '../ui/index.js';
import { SecondFactors } from './second-factor.js';
import { OwnSessions } from './sessions.js';

/** How this login is protected, and where it is in use. */
export default function SignInPage() {
  return (
    <Page title="Sign-in" about="How this login is protected, and where it is in use.">
      <Section title="Second factor">
        <SecondFactors />
      </Section>
      <Section title="Sessions">
        <OwnSessions />
      </Section>
    </Page>
  );
}
