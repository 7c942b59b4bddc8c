import { demo } from './demo.js'

const { status } = await demo({ env: process.env, print: console.log })
process.exitCode = status === 'completed' ? 0 : 1
