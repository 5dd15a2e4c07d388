import { isForgotPath, isLinkPath, isRegisterPath } from './app/base.js';
import { showLogin } from './app/login.js';
import { onSession, sessionNow } from './app/session-store.js';
import './app/theme-store.js';
import './app/tokens.css';
import './app/app.css';
import './ui/ui.css';

// they are relative to the address that was asked for, and that changes with the page
for (const link of document.querySelectorAll('link')) link.setAttribute('href', link.href);

const application = () => import('./app/app.js');

/** What is shown: the login, or the application, which is loaded when it is needed. */
let shown: 'login' | 'application' | null = null;
let takeAway = (): void => undefined;

async function show(root: HTMLElement): Promise<void> {
  const { token, ending } = sessionNow();
  const isOpen = [isLinkPath, isForgotPath, isRegisterPath].some((isOne) => isOne(location.pathname));
  const wanted = token === null && !isOpen ? 'login' : 'application';
  if (wanted === shown) return;
  shown = wanted;
  takeAway();
  if (wanted === 'login') {
    takeAway = showLogin(root, ending);
    // the form is there: what comes next is fetched while it is filled in
    setTimeout(() => void application().catch(() => undefined), 100);
  } else {
    takeAway = () => undefined;
    const loaded = await application().catch(() => null);
    if (loaded === null) {
      root.textContent = 'The application could not be loaded. Please reload this page.';
      return;
    }
    // the session may have ended meanwhile
    if (sessionNow().token === null && !isOpen) return;
    takeAway = loaded.mountApp(root);
  }
}

const root = document.getElementById('root');
if (root !== null) {
  onSession(() => void show(root));
  void show(root);
}
