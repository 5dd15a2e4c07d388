import { Page, Section } from '../ui/index.js';
import { RouteForm } from './route-form.js';

export default function NewRoutePage() {
  return (
    <Page title="New route" about="Workers use it within seconds.">
      <Section title="Settings">
        <RouteForm />
      </Section>
    </Page>
  );
}
