import { Page, Section } from '../ui/index.js';
import { TableForm } from './table-form.js';
import './routes.css';

export default function NewTablePage() {
  return (
    <Page title="New routing table" about="A change acts within two seconds, on sends that are accepted from then on.">
      <Section title="Rules">
        <TableForm />
      </Section>
    </Page>
  );
}
