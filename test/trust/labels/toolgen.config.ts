import { defineConfig } from '@toolgen/codegen'

export default defineConfig({ design: 'design/*.ts', output: 'gen', tsconfig: '../../tsconfig.json' })
