import type { ReactNode } from 'react';
import { ThemeSwitch } from './theme-switch.js';

/** A page outside of a session: one card. */
export function Lonely({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="lonely">
      <section className="card login" aria-labelledby="lonely-title">
        <p className="brand">
          <Mark /> Switchboard
        </p>
        <h1 id="lonely-title">{title}</h1>
        {children}
        <ThemeSwitch />
      </section>
    </main>
  );
}

export function Mark() {
  return <img src={new URL('../icon.svg', import.meta.url).href} alt="" width={26} height={26} />;
}
