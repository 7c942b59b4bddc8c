import { defineConfig } from '@toolgen/codegen'

export default defineConfig({ design: 'design/agents.ts', output: 'gen', tsconfig: '../tsconfig.json' })
