import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

/** The script runs while the rest of the page still comes: the first picture of many bodies does not wait for their whole motion. */
const readWhileItComes: Plugin = {
  name: 'read-while-it-comes',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'asset' && file.fileName.endsWith('.html')) file.source = String(file.source).replace('<script type="module">', '<script type="module" async>');
      }
    },
  },
};

// one file, dist/report.html, that asks no network for anything; carom puts the data where its comment stands
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), readWhileItComes],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: 'report.html' },
  },
});
