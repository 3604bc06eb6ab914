"""Numbers of Kerberos by name: encryption types and errors."""

from __future__ import annotations

from typing import Final

ETYPES: Final = {
    1: "des-cbc-crc",
    2: "des-cbc-md4",
    3: "des-cbc-md5",
    16: "des3-cbc-sha1-kd",
    17: "aes128-cts-hmac-sha1-96",
    18: "aes256-cts-hmac-sha1-96",
    19: "aes128-cts-hmac-sha256-128",
    20: "aes256-cts-hmac-sha384-192",
    23: "rc4-hmac",
    24: "rc4-hmac-exp",
}
"""RFC 3961 8, RFC 3962 7, RFC 4757, RFC 8009 5."""
AES_SHA1: Final = (17, 18)
AES_SHA2: Final = (19, 20)
RC4_HMAC: Final = 23

ERRORS: Final = {
    0: "KDC_ERR_NONE",
    1: "KDC_ERR_NAME_EXP",
    2: "KDC_ERR_SERVICE_EXP",
    6: "KDC_ERR_C_PRINCIPAL_UNKNOWN",
    7: "KDC_ERR_S_PRINCIPAL_UNKNOWN",
    12: "KDC_ERR_POLICY",
    14: "KDC_ERR_ETYPE_NOSUPP",
    18: "KDC_ERR_CLIENT_REVOKED",
    24: "KDC_ERR_PREAUTH_FAILED",
    25: "KDC_ERR_PREAUTH_REQUIRED",
    31: "KRB_AP_ERR_BAD_INTEGRITY",
    32: "KRB_AP_ERR_TKT_EXPIRED",
    33: "KRB_AP_ERR_TKT_NYV",
    34: "KRB_AP_ERR_REPEAT",
    35: "KRB_AP_ERR_NOT_US",
    36: "KRB_AP_ERR_BADMATCH",
    37: "KRB_AP_ERR_SKEW",
    38: "KRB_AP_ERR_BADADDR",
    39: "KRB_AP_ERR_BADVERSION",
    40: "KRB_AP_ERR_MSG_TYPE",
    41: "KRB_AP_ERR_MODIFIED",
    42: "KRB_AP_ERR_BADORDER",
    44: "KRB_AP_ERR_BADKEYVER",
    45: "KRB_AP_ERR_NOKEY",
    46: "KRB_AP_ERR_MUT_FAIL",
    47: "KRB_AP_ERR_BADDIRECTION",
    48: "KRB_AP_ERR_METHOD",
    49: "KRB_AP_ERR_BADSEQ",
    50: "KRB_AP_ERR_INAPP_CKSUM",
    60: "KRB_ERR_GENERIC",
    61: "KRB_ERR_FIELD_TOOLONG",
}
"""RFC 4120 7.5.9, as far as a service answers with them or a KDC's answer is passed on."""
