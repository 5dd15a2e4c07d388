import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The application of `/app` (docs/decisions/0045). Addresses are relative, so the same files serve below every prefix;
 * `index.html` gets its own written into it for each request (src/modules/web-application).
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    // a data: address of a font or a picture is closed by the policy of the page
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});
