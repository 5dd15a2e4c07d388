import type { ReactNode } from 'react';

interface Properties {
  title: ReactNode;
  /** a line below the title */
  about?: ReactNode;
  /** buttons and links at the title's right */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: its one heading, which gets the focus after the way here, and what can be done. */
export function Page({ title, about, actions, children }: Properties) {
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {about !== undefined && <div className="muted">{about}</div>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page under a heading of its own. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="card section" aria-label={title}>
      <header className="section-head">
        <h2>{title}</h2>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Names and values, such as the head of a campaign. Values that are null are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
