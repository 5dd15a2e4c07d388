import type { ReactNode } from 'react';

/** Said in place of a list without entries. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children !== undefined && children !== null && <div className="muted">{children}</div>}
    </div>
  );
}
