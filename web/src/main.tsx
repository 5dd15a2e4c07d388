import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import './app/theme.js';
import './app/tokens.css';
import './app/app.css';
import './ui/ui.css';

// they are relative to the address that was asked for, and that changes with the page
for (const link of document.querySelectorAll('link')) link.setAttribute('href', link.href);

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
