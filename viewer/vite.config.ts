import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// one file, dist/report.html, that asks no network for anything; carom puts the data where its comment stands
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: 'report.html' },
  },
});
