import { quickJsSandbox } from '@toolgen/runtime/code-mode'
import { testSandbox } from './sandbox.fixture.js'

testSandbox(quickJsSandbox, ['crashed', 'result'])
