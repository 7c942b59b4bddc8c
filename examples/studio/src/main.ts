import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

// `npx toolgen dev`, and the options of this command, such as `--no-open`.
const codegen = dirname(createRequire(import.meta.url).resolve('@toolgen/codegen/package.json'))
const dev = spawn(process.execPath, [join(codegen, 'bin/toolgen.js'), 'dev', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => dev.kill(signal))
dev.on('exit', (code) => {
  process.exitCode = code ?? 1
})
