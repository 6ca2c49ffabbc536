//go:build linux

#include "textflag.h"

// ssize_t guardedWrite(int fd, const void *buf, size_t n), as C calls it. The assembler uses R27 for addresses, which C wants back.
TEXT ·guardedWrite(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -32(RSP)
	MOVD  R27, 16(RSP)
	MOVD  ·libcWrite(SB), R8
	CALL  (R8)
	CMP   $-1, R0
	BNE   done
	MOVD  ·libcErrno(SB), R8
	CALL  (R8)
	MOVW  (R0), R1
	CMPW  $28, R1  // ENOSPC
	BEQ   lost
	CMPW  $5, R1   // EIO
	BEQ   lost
	CMPW  $122, R1 // EDQUOT
	BEQ   lost
	CMPW  $27, R1  // EFBIG
	BEQ   lost
	CMPW  $30, R1  // EROFS
	BEQ   lost
	MOVD  $-1, R0

done:
	MOVD  16(RSP), R27
	LDP.P 32(RSP), (R29, R30)
	RET

lost:
	// write(2, lastWords), exit_group(74)
	MOVD ·lastWords+0(SB), R1
	MOVD ·lastWords+8(SB), R2
	MOVD $2, R0
	MOVD $64, R8
	SVC
	MOVD $74, R0
	MOVD $94, R8
	SVC
	UNDEF

// func guardedWriteAddress() uintptr
TEXT ·guardedWriteAddress(SB), NOSPLIT, $0-8
	MOVD $·guardedWrite(SB), R0
	MOVD R0, ret+0(FP)
	RET
