import { record } from './demo.js'

const { status } = await record({ env: process.env, print: console.log })
process.exitCode = status === 'completed' ? 0 : 1
