#!/usr/bin/env node
import process from 'node:process'
import { runProcess } from '../.before-dist/cli/run-process.js'

runProcess(process)
