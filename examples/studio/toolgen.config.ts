import { defineConfig } from '@toolgen/codegen'

export default defineConfig({ design: 'design/*.ts', output: 'gen', module: 'src/tools.ts' })
